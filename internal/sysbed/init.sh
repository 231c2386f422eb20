#!/bin/bash
# The first process of fresh namespaces: it builds a throw-away root out of this machine's /usr and becomes systemd.
# Arguments: an empty directory for the root, and the directory of units, shown read-write at /opt/units.
set -eu
root=$1 units=$2

mount --make-rprivate /
mount -t tmpfs -o mode=755,size=64m bed "$root"
cd "$root"
mkdir -p usr etc/systemd/system run tmp var/tmp proc sys dev opt/units old
mount --bind /usr usr
mount -o remount,bind,ro usr
# Generators look for file systems and services of a real machine: most of a boot's time, for nothing.
for dir in usr/lib/systemd/system-generators usr/lib/systemd/system-environment-generators; do
	if [ -d "$dir" ]; then mount -t tmpfs -o ro,size=4k none "$dir"; fi
done
for dir in bin sbin lib lib64; do
	if [ -L "/$dir" ]; then
		ln -s "$(readlink "/$dir")" "$dir"
	elif [ -d "/$dir" ]; then
		mkdir "$dir"
		mount --bind "/$dir" "$dir"
		mount -o remount,bind,ro "$dir"
	fi
done

mount -t proc -o nosuid,nodev,noexec proc proc
mount -t sysfs -o nosuid,nodev,noexec,ro sysfs sys
mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755,nosuid dev dev
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755,nosuid,nodev run run
ln -s ../run var/run

printf 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534::/:/usr/sbin/nologin\n' >etc/passwd
printf 'root:x:0:\nnogroup:x:65534:\n' >etc/group
printf 'ID=bed\n' >etc/os-release
: >etc/fstab
tr -d - </proc/sys/kernel/random/uuid >etc/machine-id
mount --bind "$units" opt/units
cp opt/units/*.service opt/units/*.target etc/systemd/system/
hostname bed
ip link set lo up 2>/dev/null || true

pivot_root . old
cd /
umount -l /old
rmdir /old
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=bed \
	/lib/systemd/systemd --system --unit=bed.target --log-target=console --show-status=no
