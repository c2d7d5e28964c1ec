// The control files of the Debian package.

const { createHash } = require("node:crypto");
const { lstatSync, readdirSync, readFileSync } = require("node:fs");
const path = require("node:path");
const { ROOT } = require("../npm/setup.cjs");

const MAINTAINER = "Quittance maintainers <maintainers@quittance.invalid>";

/** The files below a folder that are installed, by path, sorted. */
const filesOf = (tree) =>
  readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(tree, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith("DEBIAN"))
    .sort();

const md5sums = (tree) =>
  filesOf(tree)
    .filter((file) => lstatSync(path.join(tree, file)).isFile())
    .map((file) => {
      const sum = createHash("md5")
        .update(readFileSync(path.join(tree, file)))
        .digest("hex");
      return `${sum}  ${file}\n`;
    })
    .join("");

/** In KiB, each file rounded up, as dpkg-gencontrol counts. */
const installedSize = (tree) =>
  filesOf(tree).reduce((sum, file) => sum + Math.ceil(lstatSync(path.join(tree, file)).size / 1024), 0);

/** The Node that package.json allows. */
function nodeNeeded() {
  const { node } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")).engines;
  return `nodejs (>= ${node.replace(">=", "")})`;
}

/** The libraries are those of the addons for zeromq, argon2 and msgpackr; dbus is for systemd-run. */
const DEPENDS = [
  ...["systemd (>= 252)", "default-dbus-system-bus | dbus-system-bus"],
  ...["libc6 (>= 2.36)", "libgcc-s1 (>= 4.2)", "libstdc++6 (>= 12)"],
];

const controlText = ({ tree, version, architecture }) => `Package: quittance
Version: ${version}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${installedSize(tree)}
Depends: ${[nodeNeeded(), ...DEPENDS].join(", ")}
Suggests: caddy, postgresql (>= 15), redis-server (>= 5:6.2)
Section: net
Priority: optional
Description: self-hosted Bitcoin payment invoicing
 A shop creates invoices over REST; its customers pay them on-chain or by
 Lightning into the merchant's own wallet, and the shop gets one signed webhook
 for each event. There is a checkout page and a dashboard.
 .
 This package has the API and all workers as systemd units. It needs a
 PostgreSQL (15 or newer) and a bitcoind, here or on other hosts, and uses an
 LND and a Redis where they are set up.
`;

module.exports = { MAINTAINER, controlText, md5sums };
