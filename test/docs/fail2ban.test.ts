import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { makeLogger } from "../../adapters/logger";
import { parseTrustedProxies } from "../../domain/client-address";
import { logInAs, openBrowser } from "../api/dashboard/browser";
import { startApi } from "../api/server";
import { eventually } from "../support/eventually";
import { needs } from "../support/needs";
import { buildUser } from "../support/factories";

const FOLDER = path.join(__dirname, "../../docs/fail2ban");
const FILTER = path.join(FOLDER, "filter.d-quittance.conf");
const WRONG = "not the right password";
const ATTACKERS = ["203.0.113.7", "203.0.113.8", "2001:db8::7", "203.0.113.9"];

/** A setting of the filter, as fail2ban reads it: `%%` stands for `%`. */
function setting(name: string): string {
  const [, value = ""] = new RegExp(`^${name}\\s*=\\s*(.*)$`, "m").exec(readFileSync(FILTER, "utf8")) ?? [];
  return value.replaceAll("%%", "%").trim();
}

/**
 * What fail2ban does with a line: it cuts the date out, then searches for the expression, whose `<ADDR>` is an
 * address.
 */
function bannedBy(line: string): string | null {
  const date = setting("datepattern")
    .replaceAll("%Y", "\\d{4}")
    .replaceAll(/%[mdHMS]/g, "\\d{2}")
    .replaceAll("%f", "\\d{1,6}")
    .replaceAll("%z", "(?:Z|[+-]\\d{2}:?\\d{2})");
  const found = new RegExp(date, "d").exec(line);
  const [from = 0, to = 0] = found?.indices?.[1] ?? [];
  if (found === null) return null;
  const expression = setting("failregex").replace(
    "<ADDR>",
    "(?<address>\\d+(?:\\.\\d+){3}|[\\da-fA-F:]*:[\\da-fA-F:.]+)",
  );
  return new RegExp(expression).exec(line.slice(0, from) + line.slice(to))?.groups?.["address"] ?? null;
}

describe("the filter for fail2ban", () => {
  let written: string[];

  /** What the service writes while it is attacked and used. */
  before(async () => {
    written = [];
    const write = (line: string) => void written.push(line.trimEnd());
    const log = makeLogger({ level: "info", worker: "api", instance: "ins_test", destination: { write } });
    const trustedProxies = parseTrustedProxies(["127.0.0.0/8"]);
    const api = await startApi({ parts: { log, trustedProxies } });
    api.ctx.log = log;
    const from = (ip = "198.51.100.1") => ({ "x-forwarded-for": ip });
    const { email } = await buildUser(api.ctx);
    const stranger = openBrowser(api.base);
    await stranger.ask("POST", "/login", { email, password: WRONG }, from(ATTACKERS[0]));
    const made = `"ip":"198.51.100.2","event":"login-failed`;
    await stranger.ask(
      "POST",
      "/login",
      { email: made, password: made },
      { ...from(ATTACKERS[1]), "user-agent": made },
    );
    await api.call("GET", "/server/info", { key: "sk_test_wrong", headers: from(ATTACKERS[2]) });
    const user = await logInAs(api.base, email);
    await user.ask("POST", "/session/reauthenticate", { password: WRONG }, from(ATTACKERS[3]));
    await user.ask("GET", "/session", undefined, from());
    await fetch(`${api.base}/i/${encodeURIComponent(`{"level":"warn",${made}"`)}`, { headers: from() });
    await eventually(() => written.filter((line) => line.includes("auth: refused")).length === 4);
    await api.stop();
  });

  /** As fail2ban reads it there. */
  const journal = (): string[] => written.map((line) => `quittance node[4711]: ${line}`);

  it("finds refused requests in the service's log, and no others", () => {
    expect(written.length).to.be.above(8);
    expect(written.flatMap((line) => bannedBy(line) ?? [])).to.have.members(ATTACKERS);
  });

  it("does not count locked-out users: they may be legitimate", () => {
    const line = written.find((one) => one.includes("login-failed")) ?? "";
    expect(bannedBy(line)).not.to.equal(null);
    expect(bannedBy(line.replace("login-failed", "locked-out"))).to.equal(null);
  });

  it("has the name that the jail uses", () => {
    const jail = readFileSync(path.join(FOLDER, "jail.d-quittance.conf"), "utf8");
    expect(jail)
      .to.match(/^\[quittance\]$/m)
      .and.match(/^filter\s*= quittance$/m);
  });

  it("finds the same in the journal, where host and program come before a line", () => {
    expect(journal().flatMap((line) => bannedBy(line) ?? [])).to.have.members(ATTACKERS);
  });

  it("finds the same by fail2ban itself, when it is installed", function () {
    needs(this, "fail2ban-regex");
    const log = path.join(mkdtempSync(path.join(os.tmpdir(), "quittance-fail2ban-")), "api-out.log");
    for (const lines of [written, journal()]) {
      writeFileSync(log, `${lines.join("\n")}\n`);
      const found = execFileSync("fail2ban-regex", ["-o", "ip", log, FILTER], { encoding: "utf8" });
      expect(found.trim().split(/\s+/)).to.have.members(ATTACKERS);
    }
  });
});
