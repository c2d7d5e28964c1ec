# Sourced within a mount namespace: what podman keeps outside of its storage is not the machine's either.
# The check's own folder ($work) may be in one of these, and stays there.
exec {own}<"$work"
for folder in /dev/shm /run/containers /run/libpod /run/netns /run/runc; do
  mkdir -p "$folder"
  mount -t tmpfs none "$folder"
done
[ -d "$work" ] || { mkdir -p "$work" && mount --no-canonicalize --bind "/proc/self/fd/$own" "$work"; }
exec {own}<&-

fail() {
  echo "image-check: $1" >&2
  exit 1
}
