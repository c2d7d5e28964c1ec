import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import type { CheckStep } from "../../commands/lightning/check-node";
import { checkAccess, connectNode } from "../../commands/lightning/connect-node";
import { invalidField } from "../../domain/errors";
import type { GivenAccess } from "../../domain/lightning/node-access";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

interface AccessOptions {
  store: string;
  lndconnect?: string;
  address?: string;
  certFile?: string;
  macaroonFile?: string;
}

const MARKS = { passed: "ok", warning: "warning", failed: "FAILED" } as const;

/** A certificate in PEM as it is; bytes as hex. */
function contentOf(file: string | undefined, field: string): string | undefined {
  if (file === undefined) return undefined;
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    throw invalidField(
      field,
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const text = content.toString("latin1");
  return /^[\x20-\x7e\s]*$/.test(text) ? text : content.toString("hex");
}

function accessOf({ lndconnect, address, certFile, macaroonFile }: AccessOptions): GivenAccess {
  return {
    lndconnect,
    address,
    tlsCertificate: contentOf(certFile, "/tlsCertificate"),
    macaroon: contentOf(macaroonFile, "/macaroon"),
  };
}

/** For whoever watches; a program gets one JSON object. */
export const saysSteps =
  (cli: Command, terminal: Terminal) =>
  ({ step, outcome, message }: CheckStep): void => {
    if (cli.opts<{ json?: boolean }>().json !== true)
      terminal.err(`${MARKS[outcome].padEnd(8)}${step.padEnd(12)}${message}\n`);
  };

export function addLightningCommands(cli: Command, terminal: Terminal): void {
  const lightning = cli.command("lightning").description("a store's own Lightning node");
  const say = saysSteps(cli, terminal);
  lightning
    .command("connect")
    .description("check an LND step by step, and send the store's Lightning payments to it")
    .requiredOption("--store <storeId>", "the store")
    .addOption(new Option("--lndconnect <uri>", "lndconnect://… of the node").conflicts("address"))
    .option("--address <host:port>", "of LND's gRPC, instead of --lndconnect")
    .option("--cert-file <file>", "LND's tls.cert; none: the system's authorities decide")
    .option("--macaroon-file <file>", "a macaroon that cannot spend")
    .action(
      answering(terminal, async (options: AccessOptions) => {
        const given = accessOf(options);
        await withContext(terminal, ["APP_SECRET"], (ctx) =>
          connectNode(ctx, options.store, given, { onStep: say }),
        );
        return { json: { storeId: options.store }, text: "The store's Lightning payments go to this node." };
      }),
    );
  lightning
    .command("check")
    .description("check the store's connected LND step by step; nothing changes")
    .requiredOption("--store <storeId>", "the store")
    .action(
      answering(terminal, async ({ store }: AccessOptions) => {
        const steps = await withContext(terminal, ["APP_SECRET"], (ctx) =>
          checkAccess(ctx, store, null, say),
        );
        const failed = steps.some(({ outcome }) => outcome === "failed");
        return {
          json: { ok: !failed, steps },
          text: failed ? "The check failed." : "The node can be used.",
          failed,
        };
      }),
    );
}
