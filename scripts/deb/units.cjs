// The systemd units of the Debian package, made from ecosystem.config.js: the same apps, node arguments and time to stop
// as under PM2, which does not run here. What settings they read is in files/settings.conf, a drop-in of all of them.

const path = require("node:path");

const HOME = "/usr/lib/quittance";

/** After these where they are on this host; none is needed. */
const AFTER = [
  ...["network-online.target", "postgresql.service", "redis-server.service"],
  ...["bitcoind.service", "lnd.service"],
];

/** Without settings nothing is started, and nothing fails: a package that was just installed has none. */
const IF_SET_UP = "ConditionPathExists=/etc/quittance/quittance.env";

/** What an app cannot do, and does not need to. */
const CONFINED = `NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
UMask=0077
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
KeyringMode=private
LockPersonality=yes
RemoveIPC=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
# Netlink: the resolver asks which address families the host has.
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
# V8 tries calls that it can do without (pkey_alloc): they fail, and do not end the process.
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute is not set: V8 writes the machine code that it then executes.`;

const seconds = (milliseconds) => Math.ceil(milliseconds / 1_000);

/** How node is started for an app of ecosystem.config.js: `HOME` in place of the folder that it is in. */
function commandOf({ script, args, node_args: nodeArgs = [] }, root) {
  const file = path.posix.join(HOME, path.relative(root, script).split(path.sep).join("/"));
  return ["/usr/bin/node", ...nodeArgs, file, ...(args === undefined ? [] : [args])].join(" ");
}

function serviceUnit(app, root) {
  return `[Unit]
Description=Quittance: ${app.name}
Documentation=man:quittance(1)
PartOf=quittance.target
${IF_SET_UP}
Wants=network-online.target
After=${AFTER.join(" ")}
# It is started again for as long as it takes.
StartLimitIntervalSec=0

[Service]
Type=exec
User=quittance
Group=quittance
WorkingDirectory=${HOME}
Environment=NODE_ENV=production
ExecStart=${commandOf(app, root)}
Restart=always
RestartSec=2
# It ends by itself before that, work in progress included. Only what hangs is killed.
TimeoutStopSec=${seconds(app.kill_timeout)}
# Once: a second SIGTERM would cut requests off.
KillMode=mixed
${CONFINED}

[Install]
WantedBy=quittance.target
`;
}

function targetUnit() {
  return `[Unit]
Description=Quittance: the API and all workers
Documentation=man:quittance(1)
${IF_SET_UP}

[Install]
WantedBy=multi-user.target
`;
}

/** Every unit: its text by the name of its file. `root`: the folder of ecosystem.config.js. */
function unitsOf(root) {
  const { apps } = require(path.join(root, "ecosystem.config.js"));
  return {
    "quittance.target": targetUnit(),
    ...Object.fromEntries(apps.map((app) => [`quittance-${app.name}.service`, serviceUnit(app, root)])),
  };
}

module.exports = { unitsOf };
