import { NodeUnavailableError } from "../../domain/errors";
import type { AccessField, ReadAccess } from "../../domain/lightning/node-access";
import { isOperator } from "../server/is-operator";
import type { CommandContext } from "../context";
import { reading } from "../transaction";
import {
  adviceFor,
  BEFORE_LND,
  CHECK_ADDRESS,
  CHECK_STEPS,
  type CheckedNode,
  type CheckStepName,
  LOOKS,
  StepFailure,
  Visited,
} from "./check-steps";

export interface CheckStep {
  step: CheckStepName;
  outcome: "passed" | "warning" | "failed";
  /** The finding; of a failed step also what to do. */
  message: string;
}

/**
 * Yields each step when it has ended, and stops at the first that fails. Nothing is sent before the macaroon is known
 * to be unable to spend. Returns null unless all passed.
 */
export async function* checkNode(
  ctx: CommandContext,
  access: ReadAccess,
): AsyncGenerator<CheckStep, CheckedNode | null, undefined> {
  const visit = ctx.visitNode(access);
  const visited = new Visited(ctx, access, visit);
  try {
    for await (const ended of withheld(stepsOf(visited), visited)) {
      yield ended;
      if (ended.outcome === "failed") return null;
    }
    return visited.node;
  } finally {
    visit.close();
  }
}

async function* stepsOf(
  visited: Visited,
): AsyncGenerator<CheckStep & { reason: Error | null }, void, undefined> {
  for (const step of CHECK_STEPS) {
    visited.warned = false;
    try {
      const message = await LOOKS[step](visited);
      yield { step, outcome: visited.warned ? "warning" : "passed", message, reason: null };
    } catch (reason) {
      if (!(reason instanceof StepFailure) && !(reason instanceof NodeUnavailableError)) throw reason;
      const message = reason instanceof StepFailure ? reason.message : adviceFor(step, reason);
      yield { step, outcome: "failed", message, reason };
    }
  }
}

/** The usual causes, whatever was found. */
const NOT_REACHABLE = `Nothing answers as LND at this address, with the certificate given. Is the port REST's (8080) and not gRPC's, or the certificate another node's or left out? ${CHECK_ADDRESS}`;

/** Inside the operator's network nobody else learns more than "not reachable" of what has not answered as LND. */
async function* withheld(
  steps: ReturnType<typeof stepsOf>,
  visited: Visited,
): AsyncGenerator<CheckStep, void, undefined> {
  const passed: CheckStep[] = [];
  for await (const { reason, ...ended } of steps) {
    const anyPort =
      BEFORE_LND.includes(ended.step) && !visited.open && !(await isOperator(reading(visited.ctx)));
    // A locked or starting LND has said so itself.
    if (anyPort && reason !== null && !(ended.step === "unlocked" && reason instanceof StepFailure)) {
      const { step, message } = ended;
      visited.ctx.log.info({ step, reason: message }, "lightning: cause of a failed check withheld");
      // The time of the answer does not distinguish an open port from a closed one either.
      await visited.visit.longest();
      yield { step: "reachable", outcome: "failed", message: NOT_REACHABLE };
    } else if (anyPort && ended.step !== "unlocked") {
      passed.push(ended);
    } else {
      yield* passed.splice(0);
      yield ended;
    }
  }
}

/** To be given anew when the step fails. */
export const FIELD_OF: Readonly<Record<CheckStepName, AccessField>> = {
  macaroon: "macaroon",
  name: "address",
  reachable: "address",
  certificate: "tlsCertificate",
  unlocked: "address",
  rights: "macaroon",
  network: "address",
  synced: "address",
  receivable: "address",
  bolt11: "address",
};

/** To its end. */
export async function runCheck(
  ctx: CommandContext,
  access: ReadAccess,
  onStep: (step: CheckStep) => void = () => undefined,
): Promise<{ steps: CheckStep[]; node: CheckedNode | null }> {
  const steps: CheckStep[] = [];
  const check = checkNode(ctx, access);
  for (;;) {
    const { value, done } = await check.next();
    if (done === true) return { steps, node: value };
    steps.push(value);
    onStep(value);
  }
}
