# Sourced: what the checks share that start a whole system in namespaces of the kernel, as root.

# Without namespaces nothing can be started: nothing is proven then, and it says so. In CI that is a failure.
need_namespaces() { # further options of unshare
  local check why
  check="$(basename "$0" .sh)"
  if ! why="$(unshare --mount --pid --net --fork --mount-proc "$@" true 2>&1)"; then
    printf '\n*** %s: SKIPPED, this machine allows no namespaces (%s). Run it as root where containers can run. ***\n\n' "$check" "$why" >&2
    [ -z "${CI:-}" ] || exit 1
    exit 0
  fi
}

# Sets work: a folder of this run, which goes with it.
make_work_folder() { # name
  work="$(mktemp -d "${TMPDIR:-/tmp}/quittance-$1-XXXXXX")"
  # The kernel takes the mounts of a namespace away a moment after its last process.
  trap 'for _ in 1 2 3 4 5; do rm -rf --one-file-system "$work" && break; sleep 2; done' EXIT
}
