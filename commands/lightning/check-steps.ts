import { createHash } from "node:crypto";
import type { NodeUnavailableError } from "../../domain/errors";
import { checkBolt11 } from "../../domain/lightning/check-bolt11";
import { BAKE_MACAROON, judgeMacaroon } from "../../domain/lightning/macaroon-rights";
import {
  type CertificateFacts,
  describeCertificate,
  expiresSoon,
  type ReadAccess,
} from "../../domain/lightning/node-access";
import { utcDay } from "../../domain/time-zone";
import type { CommandContext } from "../context";
import type { CertificateProblem, NodeVisit } from "../node-visit";

/** In their order. */
export const CHECK_STEPS = [
  "macaroon",
  "name",
  "reachable",
  "certificate",
  "unlocked",
  "rights",
  "network",
  "synced",
  "receivable",
  "bolt11",
] as const;
export type CheckStepName = (typeof CHECK_STEPS)[number];

/** Learnt by a check that passed. */
export interface CheckedNode {
  /** Hex. */
  nodeKey: string;
  network: string;
  receivableSats: bigint | null;
}

/** Its message: the finding, and what to do. */
export class StepFailure extends Error {}

/** The findings of the steps before. */
export class Visited {
  open = false;
  lacks: readonly string[] = [];
  info: Awaited<ReturnType<NodeVisit["inspect"]>> | null = null;
  receivableSats: bigint | null = null;
  node: CheckedNode | null = null;
  /** In this step: something is missing, and payments work without it. */
  warned = false;

  constructor(
    readonly ctx: CommandContext,
    readonly access: ReadAccess,
    readonly visit: NodeVisit,
  ) {}

  warn(message: string): string {
    this.warned = true;
    return message;
  }
}

/** Returns what it found. @throws StepFailure, NodeUnavailableError */
type Look = (visited: Visited) => Promise<string> | string;

export const LOOKS: Readonly<Record<CheckStepName, Look>> = {
  macaroon(visited) {
    const { refusal, lacks } = judgeMacaroon(visited.access.macaroon);
    if (refusal !== null) throw new StepFailure(refusal);
    visited.lacks = lacks;
    return "The macaroon can take payments, and cannot spend.";
  },
  async name(visited) {
    visited.open = (await visited.visit.resolve()).open;
    return "The address may be connected to.";
  },
  async reachable({ visit }) {
    await visit.reach();
    return "Something answers there.";
  },
  certificate: certificateStep,
  async unlocked({ visit }) {
    const state = await visit.state();
    if (state === "locked")
      throw new StepFailure("LND's wallet is locked. Unlock it on the node: lncli unlock");
    if (state === "starting") throw new StepFailure("LND is still starting. Wait a minute, and try again.");
    return "LND answers, and its wallet is unlocked.";
  },
  rights: rightsStep,
  network({ ctx, info }) {
    const { network } = ctx.settings;
    if (!info?.network) return "The macaroon does not show it (info:read): the BOLT11 below does.";
    if (info.network === network) return `The node is on ${network}.`;
    throw new StepFailure(
      `The node is on the network ${info.network.slice(0, 20)}, but this server takes payments on ${network}. Connect a node of ${network}.`,
    );
  },
  synced(visited) {
    const { info } = visited;
    const synchronized = info?.synchronized ?? null;
    if (synchronized === null) return visited.warn("The macaroon does not show it (info:read).");
    if (!synchronized)
      throw new StepFailure(
        "LND is not synced with the chain yet. Wait until lncli getinfo shows synced_to_chain: true.",
      );
    return "The node is synced with the chain.";
  },
  async receivable(visited) {
    const sats = (visited.receivableSats = await visited.visit.receivableSats());
    if (sats === null)
      return visited.warn("The macaroon does not show what the node can receive (offchain:read).");
    if (sats === 0n)
      return visited.warn(
        "The node can receive nothing: it has no active channel with inbound capacity. Nobody can pay until it has one.",
      );
    return `The node can receive ${sats} sats.`;
  },
  bolt11: bolt11Step,
};

async function certificateStep({ access, visit, ctx }: Visited): Promise<string> {
  const { pem, problem } = await visit.handshake();
  const { names, validFrom, validTo } = describeShown(pem);
  const host = access.address.replace(/:\d+$/, "");
  const dates = `valid from ${utcDay(validFrom)} to ${utcDay(validTo)}`;
  if (problem !== null)
    throw new StepFailure(`${certificateAdvice(problem, host)} The node shows one for ${names}, ${dates}.`);
  const now = await ctx.now(ctx.db.manager);
  const soon = expiresSoon({ validTo }, now);
  return `The node's certificate is the right one (${names}, ${dates})${soon ? ": it expires soon" : ""}.`;
}

function describeShown(pem: string): CertificateFacts {
  try {
    return describeCertificate(pem);
  } catch {
    throw new StepFailure(
      "The node shows a certificate whose dates cannot be read. Delete tls.cert and tls.key on the node, restart LND, and give the new tls.cert.",
    );
  }
}

function certificateAdvice(problem: CertificateProblem, host: string): string {
  switch (problem) {
    case "expired":
      return "The node's certificate has expired. Delete tls.cert and tls.key on the node, restart LND, and give the new tls.cert.";
    case "not-yet-valid":
      return "The node's certificate is not valid yet. Set the node's clock, or wait.";
    case "names":
      return `The node's certificate does not match the host ${host}. Use one of its names, or give LND's own tls.cert.`;
    case "other":
      return "The certificate given is not the one that the node shows. Give LND's present tls.cert.";
    case "authority":
      return "No authority that this server trusts has signed the node's certificate. Give LND's tls.cert.";
  }
}

/** The first call that sends the macaroon. */
async function rightsStep(visited: Visited): Promise<string> {
  const { visit, lacks } = visited;
  const info = (visited.info = await visit.inspect());
  const needed = info.missingRights.filter((right) => right.startsWith("invoices:"));
  if (needed.length > 0)
    throw new StepFailure(
      `The macaroon lacks the right ${needed.join(" and ")}. Make one that has it: ${BAKE_MACAROON}`,
    );
  const { version } = info;
  if (version !== null && isOld(version))
    throw new StepFailure(`This LND is ${version.slice(0, 20)}. Update it to 0.15 or newer.`);
  const missing = [...new Set([...lacks, ...info.missingRights])];
  if (missing.length === 0) return "LND accepts the macaroon.";
  return visited.warn(
    `LND accepts the macaroon, which lacks ${missing.join(" and ")}: less is shown about the node. To have all: ${BAKE_MACAROON}`,
  );
}

/** Since 0.15 LND has all that is called here. */
function isOld(version: string): boolean {
  const [, major = "0", minor = "0"] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) === 0 && Number(minor) < 15;
}

/** For one sat, and seen by nobody. Its signature shows the node's key, also to a macaroon that hides it. */
async function bolt11Step(visited: Visited): Promise<string> {
  const { ctx, visit, info, receivableSats } = visited;
  const { network } = ctx.settings;
  const preimage = ctx.randomBytes(32);
  const paymentHash = createHash("sha256").update(preimage).digest("hex");
  const made = await visit.addInvoice({
    preimage,
    amountSats: 1n,
    description: "Check of the connection",
    expiresInSeconds: 60,
    privateRouteHints: false,
  });
  const { payeeKey } = checkBolt11(made.bolt11, { paymentHash, amountSats: 1n, network });
  const canceled = await visit.cancelInvoice(paymentHash);
  if (canceled !== "canceled") throw new StepFailure("LND made a BOLT11, and did not cancel it.");
  if (info !== null && info.nodeKey !== null && info.nodeKey !== payeeKey)
    throw new StepFailure(
      "LND signs its BOLT11s with another key than its own: this server takes no payments by it.",
    );
  visited.node = { nodeKey: payeeKey, network, receivableSats };
  return "LND made a BOLT11 of one sat, and canceled it.";
}

/** Their findings are about any port, whatever answers there. */
export const BEFORE_LND: readonly CheckStepName[] = ["reachable", "certificate", "unlocked"];
export const CHECK_ADDRESS =
  "Check that LND runs, the host, the port (LND's gRPC usually has 10009), the node's firewall, and that LND listens there (rpclisten).";

export function adviceFor(step: CheckStepName, { message }: NodeUnavailableError): string {
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`;
  if (BEFORE_LND.includes(step)) return `${text} ${CHECK_ADDRESS}`;
  if (step !== "rights") return text;
  return `${text} If the macaroon is of this node and was not revoked, make a new one: ${BAKE_MACAROON}`;
}
