import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import type { CheckStep } from "../../commands/lightning/check-node";
import { checkAccess, connectNode, removeLightning } from "../../commands/lightning/connect-node";
import { stopWaiting } from "../../commands/lightning/retire-node";
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

const REMOVED =
  "New invoices of the store do not offer Lightning. BOLT11s that are open at its own node are cancelled there; while it is away, they may still be paid, and count.";
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

/** For whoever watches; a program gets one JSON object. Why a step failed is said at the end. */
export const saysSteps =
  (cli: Command, terminal: Terminal) =>
  ({ step, outcome, message }: CheckStep): void => {
    if (cli.opts<{ json?: boolean }>().json !== true)
      terminal.err(
        `${MARKS[outcome].padEnd(8)}${step.padEnd(12)}${outcome === "failed" ? "" : message}`.trimEnd() +
          "\n",
      );
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
        const failed = steps.find(({ outcome }) => outcome === "failed");
        return {
          json: { ok: !failed, steps },
          text: failed ? `The check failed. ${failed.message}` : "The node can be used.",
          failed: failed !== undefined,
        };
      }),
    );
  addEndCommands(lightning, terminal);
}

function addEndCommands(lightning: Command, terminal: Terminal): void {
  lightning
    .command("remove")
    .description("stop the store's Lightning payments; what is open at its own node stays watched")
    .requiredOption("--store <storeId>", "the store")
    .action(
      answering(terminal, async ({ store: storeId }: AccessOptions) => {
        await withContext(terminal, ["APP_SECRET"], (ctx) => removeLightning(ctx, storeId));
        return { json: { storeId }, text: REMOVED };
      }),
    );
  lightning
    .command("forget")
    .description("watch the store's former nodes no longer: they are gone for good")
    .requiredOption("--store <storeId>", "the store")
    .action(
      answering(terminal, async ({ store: storeId }: AccessOptions) => {
        const invoices = await withContext(terminal, ["APP_SECRET"], (ctx) => stopWaiting(ctx, storeId));
        const unseen =
          invoices.length === 0 ? "" : ` A payment there is not seen any more of: ${invoices.join(", ")}.`;
        return { json: { storeId, invoices }, text: `Former nodes are no longer watched.${unseen}` };
      }),
    );
}
