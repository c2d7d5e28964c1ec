#!/bin/bash
# Becomes the systemd of the Debian in the folder of the argument, with what a container gives it. Within namespaces.
set -euo pipefail
root="$1"
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null zero full random urandom tty; do
  touch "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
# No console to ask at, and nothing that needs a machine of its own.
ln -sf /dev/null "$root/etc/systemd/system/systemd-firstboot.service"
ln -sf /dev/null "$root/etc/systemd/system/systemd-modules-load.service"
hostname quittance
mkdir -p "$root/old"
cd "$root"
pivot_root . old
umount --lazy /old
rmdir /old
# systemd hands credentials over by a mount.
mount --make-rshared /
exec env -i container=quittance-check PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --system </dev/null
