import "reflect-metadata";
import { createRequire } from "node:module";
import path from "node:path";
import { customerOf } from "../../demo/node";
import type { ChainCustomer } from "../../demo/customer-door";
import { SimulatedNode } from "../../devnet/bitcoin/simulated-node";
import { eventually, Inside, must } from "./inside";
import { attackerIsBanned, conflictIsRefused, linkIsRefused } from "./refusals";
import { Shop } from "./shop";

// Installs, sets up, runs, upgrades, removes and purges the Debian package as its page says. Argument: the process id of
// the systemd of the Debian that it is installed in.

const { apps } = createRequire(__filename)("../../../ecosystem.config.js") as {
  apps: { name: string }[];
};
const SERVICES = apps.map(({ name }) => `quittance-${name}.service`);
const UNITS = ["quittance.target", ...SERVICES];
/** Of 10, times ten. Without one of the lines that matter a unit has 1.6 or more. */
const MOST_EXPOSED = "15";
const API = "http://127.0.0.1:3000/api/v1";
const PASSWORD = "password4postgres";
const SECRET = "secret-of-the-check-of-the-Debian-package";

const say = (text: string): void => console.log(`deb-check: ${text}`);
const inside = new Inside(process.argv[2] ?? "");

/** Every file that a package could leave; not what Postgres, dpkg and systemd write about their own work. */
const files = async (): Promise<string[]> =>
  (
    await inside.shell(
      "find / -xdev -path /var/lib/postgresql -prune -o -path /var/log -prune -o -path /var/cache -prune -o -path /tmp -prune -o -path /var/tmp -prune -o -path /old -prune -o -print | sort",
    )
  ).split("\n");

const show = (property: string, unit: string): Promise<string> =>
  inside.run("systemctl", "show", "--value", "--property", property, unit);
const allOf = (property: string, units = SERVICES): Promise<string[]> =>
  Promise.all(units.map((unit) => show(property, unit)));

/** By its own word: one that ends and is started again runs for a moment, too. */
async function isReady(unit: string): Promise<void> {
  const [state, invocation] = [await show("SubState", unit), await show("InvocationID", unit)];
  must(state === "running", `${unit} is ${state}`);
  const own = `_SYSTEMD_INVOCATION_ID=${invocation}`;
  const lines = await inside.run("journalctl", "--no-pager", "--output=cat", own);
  must(
    lines.includes('"message":"ready"'),
    `${unit} is not ready: ${lines.split("\n").slice(-2).join("\n")}`,
  );
}

async function everythingRuns(): Promise<void> {
  await eventually("all apps are ready, and the API answers", async () => {
    await Promise.all(SERVICES.map(isReady));
    const { status } = await fetch(`${API}/health`);
    must(status === 200, `health: ${status}`);
    return true;
  });
}

async function install(): Promise<void> {
  await inside.run("dpkg", "--install", "/root/packages/first.deb");
  const states = await allOf("ActiveState", UNITS);
  must(
    states.every((state) => state === "inactive"),
    `without settings: ${states.join(" ")}`,
  );
  const enabled = (await inside.run("systemctl", "is-enabled", ...UNITS)).split("\n");
  must(
    enabled.length === UNITS.length && enabled.every((state) => state === "enabled"),
    `${enabled.join(" ")}`,
  );
  const modes = await inside.run(
    "stat",
    "--format",
    "%a %U:%G",
    "/etc/quittance",
    "/etc/quittance/credentials",
  );
  must(modes === "750 root:quittance\n700 root:root", `modes: ${modes}`);
  const refusal = await inside.refusal("quittance", "doctor");
  must(refusal.includes("there are no settings"), `without settings, quittance doctor: ${refusal}`);
  must(
    (await inside.refusal("runuser", "-u", "nobody", "--", "quittance", "migrate")).includes("only root"),
    "quittance runs for everybody",
  );
  say("installed: enabled, and nothing runs or fails without settings");
}

async function unitsAreConfined(): Promise<void> {
  const paths = UNITS.map((unit) => `/usr/lib/systemd/system/${unit}`);
  const said = await inside.shell(`systemd-analyze verify --man=no ${paths.join(" ")} 2>&1`);
  must(said === "", `systemd-analyze verify: ${said}`);
  for (const unit of paths.slice(1)) {
    const command = ["security", "--no-pager", "--offline=true", `--threshold=${MOST_EXPOSED}`, unit];
    const verdict = await inside.run("systemd-analyze", ...command);
    say(`${path.basename(unit)}: ${/Overall exposure level.*?: ([\d.]+)/.exec(verdict)?.[1] ?? "?"}`);
  }
}

async function setUp(node: SimulatedNode): Promise<void> {
  const sql = `CREATE ROLE quittance LOGIN PASSWORD '${PASSWORD}'`;
  await inside.shell(
    `runuser -u postgres -- psql -qc "${sql}"; runuser -u postgres -- createdb --owner=quittance quittance`,
  );
  const { protocol, host, username, password } = new URL(node.rpcUrl);
  const settings = [
    "NETWORK=regtest",
    "PUBLIC_URL=http://127.0.0.1:3000",
    "WEBHOOK_ALLOWED_CIDRS=127.0.0.1/32",
    "TRUST_PROXY=127.0.0.1",
  ];
  settings.push(`BITCOIND_RPC_URL=${protocol}//${host}`, "BITCOIND_COOKIE_FILE=/var/lib/bitcoind/.cookie");
  const credentials = {
    DATABASE_URL: `postgres://quittance:${PASSWORD}@127.0.0.1:5432/quittance`,
    APP_SECRET: SECRET,
  };
  // As bitcoind leaves it: its group may read it.
  await inside.shell(`groupadd --system bitcoin; usermod -aG bitcoin quittance
    install -d -m 710 -g bitcoin /var/lib/bitcoind; echo '${username}:${password}' >/var/lib/bitcoind/.cookie
    chgrp bitcoin /var/lib/bitcoind/.cookie; chmod 640 /var/lib/bitcoind/.cookie`);
  await inside.shell(`install -m 600 /usr/share/quittance/quittance.env /etc/quittance/quittance.env
    sed -i -E '/^(NETWORK|PUBLIC_URL)=/d' /etc/quittance/quittance.env
    printf '%s\\n' ${settings.join(" ")} >>/etc/quittance/quittance.env`);
  for (const [name, value] of Object.entries(credentials))
    await inside.shell(`umask 077; printf '%s\\n' "${value}" >/etc/quittance/credentials/${name}`);
  const early = await inside.refusal("quittance", "doctor");
  must(early.includes("quittance cli migrate"), `before migrate, doctor: ${early}`);
  await inside.run("quittance", "migrate");
  const { ok } = await inside.cli<{ ok: boolean }>("doctor");
  must(ok, "doctor is not content");
}

async function secretsAreHidden(): Promise<void> {
  const shown = await inside.run("systemctl", "show", ...UNITS);
  const pids = await allOf("MainPID");
  const owners = await inside.shell(
    `stat --format %U ${pids.map((pid) => `/proc/${pid}`).join(" ")} | sort -u`,
  );
  must(owners === "quittance", `the apps are of ${owners}`);
  const environments = await inside.shell(
    pids.map((pid) => `tr '\\0' '\\n' </proc/${pid}/environ`).join("; "),
  );
  const log = await inside.run("journalctl", "--no-pager", "--output=cat");
  for (const [where, text] of Object.entries({
    "systemctl show": shown,
    "an environment": environments,
    log,
  }))
    for (const secret of [SECRET, PASSWORD]) must(!text.includes(secret), `a secret is in ${where}`);
  await inside.refusal("runuser", "-u", "quittance", "--", "cat", "/etc/quittance/credentials/APP_SECRET");
  say("the apps run as quittance, and no secret is in systemctl show, an environment or the log");
}

async function backUp(): Promise<void> {
  const file = "/var/backups/quittance/one.backup";
  await inside.run("install", "-d", "-m", "700", "-o", "quittance", "-g", "quittance", path.dirname(file));
  await inside.run("quittance", "cli", "backup", "--to", file);
  const stat = await inside.run("stat", "--format", "%a %U", file);
  must(stat === "600 quittance", `the backup has ${stat}`);
}

async function crashIsRepaired(): Promise<void> {
  const [before = ""] = await allOf("MainPID", ["quittance-reconcile.service"]);
  await inside.run("kill", "-KILL", before);
  await eventually("reconcile is started again", async () => {
    const [after = "0"] = await allOf("MainPID", ["quittance-reconcile.service"]);
    return after !== "0" && after !== before;
  });
  await everythingRuns();
}

/** The older version runs on until the operator has migrated; what was disabled stays so, and so do settings. */
async function upgrade(): Promise<void> {
  const disabled = "quittance-confirmations.service";
  await inside.run("systemctl", "disable", "--quiet", "--now", disabled);
  const settings = "cat /etc/quittance/quittance.env /etc/quittance/credentials/*";
  const [before, was] = [await allOf("MainPID"), await inside.shell(settings)];
  const said = await inside.run("dpkg", "--install", "/root/packages/second.deb");
  must(said.includes("sudo quittance migrate"), `the upgrade does not say what to do now: ${said}`);
  must((await allOf("MainPID")).join() === before.join(), "the upgrade restarted apps before migrate");
  await inside.run("quittance", "migrate");
  await inside.run("systemctl", "restart", "quittance.target");
  const after = await allOf("MainPID");
  for (const [index, unit] of SERVICES.entries())
    if (unit === disabled) must(after[index] === "0", `${unit} was started by the upgrade`);
    else must(after[index] !== "0" && after[index] !== before[index], `${unit} was not restarted`);
  must((await inside.shell(settings)) === was, "the upgrade changed settings");
  await inside.run("systemctl", "enable", "--quiet", "--now", disabled);
  await everythingRuns();
  say("upgraded: the older apps ran until the restart");
}

/** Settings are kept, and apt says what is to be done. */
async function installAgain(): Promise<void> {
  await inside.run("dpkg", "--remove", "quittance");
  const said = await inside.run("dpkg", "--install", "/root/packages/second.deb");
  must(said.includes("systemctl start quittance.target"), `installed again, it says: ${said}`);
  await inside.run("systemctl", "start", "quittance.target");
  await everythingRuns();
}

async function stopAndStart(): Promise<void> {
  await inside.run("systemctl", "stop", "quittance.target");
  const results = await allOf("Result");
  must(
    results.every((result) => result === "success"),
    `stopped with ${results.join(" ")}`,
  );
  const states = await allOf("ActiveState");
  must(
    states.every((state) => state === "inactive"),
    `after systemctl stop: ${states.join(" ")}`,
  );
  await inside.run("systemctl", "start", "quittance.target");
  await everythingRuns();
}

async function remove(before: readonly string[]): Promise<void> {
  await inside.run("dpkg", "--remove", "quittance");
  const running = await inside.shell("pgrep --list-full --uid quittance || true");
  must(running === "", `after the removal there runs ${running}`);
  await inside.run("test", "-e", "/etc/quittance/credentials/APP_SECRET");
  await inside.run("dpkg", "--purge", "quittance");
  // Of the operator, or of this check.
  const others = ["/var/backups/quittance", "/var/lib/bitcoind", "/var/lib/fail2ban"];
  const left = (await files()).filter(
    (file) =>
      !before.includes(file) && !others.some((other) => file === other || file.startsWith(`${other}/`)),
  );
  must(left.length === 0, `the purge left ${left.join(" ")}`);
  const count = "SELECT count(*) FROM invoices";
  const invoices = await inside.run("runuser", "-u", "postgres", "--", "psql", "-Atc", count, "quittance");
  must(invoices === "2", `the database has ${invoices} invoices`);
  // systemd forgets units a moment after nothing refers to them.
  await eventually("no unit is left", async () => {
    const list = ["list-units", "--all", "--plain", "--no-legend", "quittance*"];
    const units = await inside.run("systemctl", ...list);
    must(units === "", `units are left: ${units}`);
    return true;
  });
  say("removed and purged: no process, unit or file of it is left, and the database is");
}

async function main(): Promise<void> {
  await eventually(
    "Postgres runs",
    async () => (await show("ActiveState", "postgresql@17-main")) === "active",
  );
  const before = await files();
  const node = await SimulatedNode.start();
  await install();
  await unitsAreConfined();
  await setUp(node);
  await linkIsRefused(inside);
  await conflictIsRefused(inside, SECRET);
  await inside.run("systemctl", "start", "quittance.target");
  await everythingRuns();
  await secretsAreHidden();
  const shop = await Shop.open(inside, API);
  const customer = (await customerOf({ rpcUrl: node.rpcUrl })) as ChainCustomer;
  say(`${await shop.sell(customer)} was sold; its webhook Settled verified`);
  await attackerIsBanned(inside, API);
  say("fail2ban banned an address that guessed keys");
  await backUp();
  await crashIsRepaired();
  await upgrade();
  await installAgain();
  await stopAndStart();
  say(`${await shop.sell(customer)} was sold after the upgrade`);
  await remove(before);
  process.exit(0);
}

void main().catch((error: unknown) => {
  console.error("deb-check:", error);
  process.exit(1);
});
