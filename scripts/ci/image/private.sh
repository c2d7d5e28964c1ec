# Sourced within a mount namespace: what podman keeps outside of its storage is not the machine's either.
for folder in /dev/shm /run/containers /run/libpod /run/netns /run/runc; do
  mkdir -p "$folder"
  mount -t tmpfs none "$folder"
done

fail() {
  echo "image-check: $1" >&2
  exit 1
}
