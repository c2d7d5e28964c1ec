import type { Command } from "commander";
import { withCredentials, type Environment } from "../../config/environment";
import { readSettings } from "../../config/load";
import type { Config, SettingName } from "../../config/schema";
import { bitcoinChecks } from "./doctor/bitcoin-checks";
import { type Check, type CheckStatus, named } from "./doctor/check";
import { databaseChecks } from "./doctor/database-checks";
import {
  configurationCheck,
  envFileCheck,
  nodeCheck,
  pm2DumpCheck,
  publicUrlCheck,
  transportCheck,
  trustProxyCheck,
} from "./doctor/host-checks";
import { lightningChecks } from "./doctor/lightning-checks";
import { mailCheck } from "./doctor/mail-check";
import { queueChecks } from "./doctor/queue-checks";
import { answering, type Terminal } from "./terminal";

const MARKS: Record<CheckStatus, string> = { ok: "✓", warning: "!", failed: "✗", unknown: "?", off: "–" };
const SECRETS_MIN_LENGTH = 4;

/** Every secret of the environment: whatever a server's words repeat, these are taken out. */
function secretsOf(env: Environment): string[] {
  const names: SettingName[] = ["APP_SECRET", "APP_SECRET_OLD", "LND_MACAROON_HEX"];
  const urls: SettingName[] = ["DATABASE_URL", "REDIS_URL", "BITCOIND_RPC_URL", "SMTP_URL"];
  const passwords = urls.flatMap((name) => {
    const text = env[name] ?? "";
    const raw = /:\/\/[^/@]*?:(.*)@/.exec(text)?.[1];
    if (!URL.canParse(text)) return raw === undefined ? [text] : [text, raw];
    const { password } = new URL(text);
    return [password, raw ?? ""].flatMap((form) => [form, decoded(form)]);
  });
  const all = [...names.map((name) => env[name] ?? ""), ...passwords];
  return all.filter((secret) => secret.length >= SECRETS_MIN_LENGTH);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[hidden]"), text);
}

/** Checks everything that the service needs, from this host. A failed check hides no other. */
export async function examine(environment: Environment): Promise<{ ok: boolean; checks: Check[] }> {
  const { values, problems } = readSettings(environment);
  const { env } = withCredentials(environment);
  const config: Partial<Config> = values;
  const given = (name: SettingName): boolean => (env[name]?.trim() ?? "") !== "";
  const [database, queue, bitcoin, lightning, mail] = await Promise.all([
    databaseChecks(config),
    queueChecks(config, given),
    bitcoinChecks(config, given("BITCOIND_RPC_URL")),
    lightningChecks(config, given("LND_GRPC_URL")),
    mailCheck(config, given("SMTP_URL")),
  ]);
  const secrets = secretsOf(env);
  const checks = [
    ...named({
      node: nodeCheck(),
      configuration: configurationCheck(problems),
      "env-file": envFileCheck(),
      "pm2-dump": pm2DumpCheck(env),
      "public-url": publicUrlCheck(config),
      "trust-proxy": trustProxyCheck(config),
      transport: transportCheck(config),
    }),
    ...database,
    ...queue,
    ...bitcoin,
    ...lightning,
    ...named({ mail }),
  ].map((check) => ({ ...check, message: withoutSecrets(check.message, secrets) }));
  return { ok: checks.every(({ status }) => status !== "failed" && status !== "unknown"), checks };
}

function textOf({ ok, checks }: { ok: boolean; checks: readonly Check[] }): string {
  const lines = checks.map(({ name, status, message, fix }) => {
    const about = message.replaceAll("\n", "\n    ");
    return `${MARKS[status]} ${name}: ${about}${fix === null ? "" : `\n    → ${fix}`}`;
  });
  return [...lines, "", ok ? "All is well." : "Not ready: see ✗ and ? above."].join("\n");
}

export function addDoctorCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("doctor")
    .description("check all dependencies and settings, and say how to fix each problem")
    .action(
      answering(terminal, async () => {
        const found = await examine(terminal.env);
        return { json: found, text: textOf(found), failed: !found.ok };
      }),
    );
}
