package shape_test

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// TestEveryExportedNameIsDocumented looks at packages, declarations, fields and methods of interfaces. The comment of a
// function or a type begins with its name, as readers of generated documentation expect.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, dir := range packages(t) {
		set, files := sources(t, dir)
		docs := 0
		for _, tree := range files {
			if tree.Doc != nil {
				docs++
			}
			for _, missing := range undocumented(tree) {
				t.Errorf("%s: %s has no comment of its own", set.Position(missing.Pos()), missing.Name)
			}
		}
		if docs != 1 {
			t.Errorf("%s: %d files document the package, want one", dir, docs)
		}
	}
}

// undocumented lists the exported names of a file without a comment.
func undocumented(tree *ast.File) (names []*ast.Ident) {
	for _, decl := range tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) && !begins(d.Doc, d.Name) {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			names = append(names, undocumentedSpecs(d)...)
		}
	}
	return names
}

// exportedReceiver says that d is a function, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	kind := d.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	name, ok := kind.(*ast.Ident)
	return ok && name.IsExported()
}

// begins says that a comment is there and starts with the name that it is about.
func begins(doc *ast.CommentGroup, name *ast.Ident) bool {
	words := strings.Fields(doc.Text())
	for len(words) > 0 && (words[0] == "A" || words[0] == "An" || words[0] == "The") {
		words = words[1:]
	}
	return len(words) > 0 && strings.Trim(words[0], ":,") == name.Name
}

func undocumentedSpecs(d *ast.GenDecl) (names []*ast.Ident) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			if !begins(s.Doc, s.Name) && !begins(d.Doc, s.Name) {
				names = append(names, s.Name)
			}
			names = append(names, undocumentedMembers(s)...)
		case *ast.ValueSpec:
			if s.Doc == nil && s.Comment == nil && (d.Doc == nil || d.Tok == token.CONST && len(d.Specs) > 1) {
				names = append(names, exported(s.Names)...)
			}
		}
	}
	return names
}

// undocumentedMembers lists the fields and methods of a type. One comment may stand for the run of members below it.
func undocumentedMembers(s *ast.TypeSpec) (names []*ast.Ident) {
	var members *ast.FieldList
	switch kind := s.Type.(type) {
	case *ast.StructType:
		members = kind.Fields
	case *ast.InterfaceType:
		members = kind.Methods
	default:
		return nil
	}
	documented := false
	for _, m := range members.List {
		documented = documented || m.Doc != nil || m.Comment != nil
		if !documented {
			names = append(names, exported(m.Names)...)
		}
	}
	return names
}

func exported(all []*ast.Ident) (names []*ast.Ident) {
	for _, name := range all {
		if name.IsExported() {
			names = append(names, name)
		}
	}
	return names
}
