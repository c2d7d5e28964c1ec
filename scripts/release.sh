#!/bin/bash
# bash scripts/release.sh: checks that this commit can be released, makes its packages and its image, and says what a
# person does then. It publishes nothing, and makes no tag.
set -euo pipefail
cd "$(dirname "$0")/.."

refuse() {
  echo "Not released: $1" >&2
  exit 1
}

version="$(node -p 'require("./package.json").version')"
[ -z "$(git status --porcelain)" ] || refuse "there are changes that are not committed."
[ -z "$(git tag --list "v$version")" ] || refuse "v$version is a tag already. Raise the version: npm version --no-git-tag-version X.Y.Z"
grep -q "^## \[$version\]" CHANGELOG.md ||
  refuse "CHANGELOG.md has no section [$version]. Give what is in [Unreleased] this heading and the date, and commit it."
command -v podman >/dev/null || refuse "there is no podman to build the image with: apt-get install podman skopeo."

npm ci --include=dev --no-audit --no-fund
npm run package
(cd .packages/quittance && npm sbom --package-lock-only --sbom-format cyclonedx) >.packages/sbom.cdx.json
# Without the SBOM, which names the time at which it was made.
(cd .packages && sha256sum ./*.tgz | tee SHA256SUMS)
bash scripts/image/build.sh .packages/image

cat <<STEPS

The packages of $version are in .packages/, and the image for both processors. Nothing is published. Now, by hand and in this order:

 1. Compare scripts/cli/doctor/secure-nodes.ts with Node's list of security releases. Then bash .ci/run all, on this
    commit: everything passes, signatures and known vulnerabilities of the packages included.
 2. On another machine: clone this commit, run this script, compare SHA256SUMS. The same bytes, or stop.
 3. Install the tarball of quittance as docs/operations/npm-package.md says, on a server for trials, and sell something.
 4. npm login, with a second factor. Then, from the machine of step 2:
      npm publish .packages/quittance-$version.tgz --access public
      npm view quittance@$version dist.integrity        # as npm publish printed it
      npm publish .packages/quittance-demo-$version.tgz --access public
 5. In an empty folder, with an empty HOME: npx --ignore-scripts quittance-demo@$version. A sale works; Ctrl-C ends it.
      npm install --global --ignore-scripts quittance@$version installs what npm-shrinkwrap.json names.
 6. git tag --sign v$version && git push origin v$version
 7. Attach the two tarballs, sbom.cdx.json, SHA256SUMS and image.digests to the release, with the section of
    CHANGELOG.md. Where the image is published too, with the digest of "both" as image.digests has it:
      skopeo copy --all --preserve-digests dir:.packages/image docker://REGISTRY/quittance:$version
 8. The first time: say in README.md, in docs/operations/npm-package.md and in CHANGELOG.md that it is published.

A version that was published stays as it is: a mistake in it is put right by the next version.
STEPS
