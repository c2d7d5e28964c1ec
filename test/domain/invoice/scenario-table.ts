import { DomainError } from "../../../domain/errors";
import { after, created, mark, decideUntilStable, type Move } from "../../../domain/invoice/decide";
import type { InvoiceFacts, PaymentFact, SyncFacts } from "../../../domain/invoice/facts";
import type { AdditionalStatus, InvoiceStatus, Mark } from "../../../domain/invoice/status";
import {
  AFTER_EXPIRY,
  AFTER_MONITORING,
  BEFORE_EXPIRY,
  BEHIND,
  CAUGHT_UP,
  DUE,
  event,
  EXPIRES,
  invoice,
  MONITORED,
  payment,
  seconds,
  told,
} from "./invoice-facts";

/** One line of the first table in scenarios.txt. */
export interface Scenario {
  rows: string;
  from: string;
  facts: string;
  to: string;
  event: string;
}

/** What the state function did, with where each move started. */
export interface Played {
  moves: { from: string; move: Move }[];
  refused: boolean;
}

/** Cells of the table whose head line is given, without head and rule. */
export function tableBelow(markdown: string, head: string): string[][] {
  const lines = markdown.split("\n").map(cellsIn);
  const start = lines.findIndex((cells) => cells.join() === cellsIn(head).join());
  if (start < 0) throw new Error(`The document has no table headed: ${head}`);
  const body = lines.slice(start + 2);
  const end = body.findIndex((cells) => cells.length === 0);
  return body.slice(0, end < 0 ? undefined : end);
}

function cellsIn(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The outcome of a scenario in the words of the table. */
export function outcome({ moves, refused }: Played): Pick<Scenario, "rows" | "to" | "event"> {
  const states = moves.map(({ move }) => stateOf(move) + (move.markedByHand === null ? "" : " by hand"));
  const events = told(moves.map(({ move }) => move.event));
  return {
    rows: moves.map(({ move }) => move.row).join(", ") || "–",
    to: refused ? "refused" : states.join(" → ") || "stays",
    event: events.join(", ") || "none",
  };
}

/** The facts and the instant that a line names. */
export function situation(from: string, facts: string): { facts: InvoiceFacts; now: Date } {
  const clauses = facts.split("; ");
  return { facts: factsOf(from, clauses), now: one(clauses, clockOf) };
}

export function play(scenario: Scenario): Played {
  if (scenario.facts === "created") return { moves: [{ from: "–", move: created() }], refused: false };
  const clauses = scenario.facts.split("; ");
  const now = one(clauses, clockOf);
  const sync = syncOf(clauses);
  const hand = clauses.find((clause) => clause.startsWith("marked "))?.slice("marked ".length) as
    Mark | undefined;
  let facts = factsOf(scenario.from, clauses);
  const moves: Played["moves"] = [];
  const note = (made: readonly Move[]): void => {
    for (const move of made) {
      moves.push({ from: stateOf(facts), move });
      facts = after(facts, move);
    }
  };
  if (hand !== undefined) {
    try {
      note([mark(facts, hand)]);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === "invalid-transition")) throw error;
      return { moves, refused: true };
    }
  }
  note(decideUntilStable(facts, now, sync).moves);
  const later = clauses
    .filter((clause) => clause.startsWith("then "))
    .map((clause) => clause.slice("then ".length));
  for (const clause of later) {
    facts = { ...facts, payments: [...facts.payments, paymentOf(clause)] };
    note(decideUntilStable(facts, now, sync).moves);
  }
  return { moves, refused: false };
}

function stateOf(at: { status: InvoiceStatus; additionalStatus: AdditionalStatus }): string {
  return `${at.status}/${at.additionalStatus}`;
}

const CLAUSES = [
  /^(before expiry|after expiry|after monitoring)$/,
  /^networks behind$/,
  /^hold over$/,
  /^loss unchecked$/,
  /^blocks unread$/,
  /^tolerance [\d.]+%$/,
  /^told .+$/,
  /^marked (Settled|Invalid)$/,
  /^(then )?(on-chain|lightning) .+$/,
];

function factsOf(from: string, clauses: readonly string[]): InvoiceFacts {
  const strange = clauses.find((clause) => !CLAUSES.some((known) => known.test(clause)));
  if (strange !== undefined) throw new Error(`The scenario table does not know the fact "${strange}".`);
  const byHand = from.endsWith(" by hand");
  const [status, additionalStatus] = stateIn(from.replace(" by hand", ""));
  const tolerance = Number(/tolerance ([\d.]+)%/.exec(clauses.join())?.[1] ?? 0);
  const before = (clauses.find((clause) => clause.startsWith("told "))?.slice("told ".length) ?? "")
    .split(", ")
    .filter((text) => text !== "")
    .map((text) => event(...stateIn(text)));
  const own = status === "New" ? [] : [{ ...event(status, additionalStatus), byHand }];
  return invoice({
    status,
    additionalStatus,
    markedByHand: byHand ? (status as Mark) : null,
    minDueSats: (DUE * BigInt(100 - tolerance)) / 100n,
    payments: clauses.filter((clause) => /^(on-chain|lightning) /.test(clause)).map(paymentOf),
    emitted: [event("New"), ...before, ...own],
  });
}

function stateIn(text: string): [InvoiceStatus, AdditionalStatus] {
  const [status, additionalStatus = "None"] = text.split("/");
  return [status as InvoiceStatus, additionalStatus as AdditionalStatus];
}

function paymentOf(clause: string): PaymentFact {
  const parts =
    /^(on-chain|lightning) ([\d.]+)% (pending|contested|in block|back from a block|confirmed|replaced|evicted|double-spent)( dust)?( late| very late)?$/.exec(
      clause,
    );
  if (parts === null) throw new Error(`The scenario table does not know the payment "${clause}".`);
  const [, network, percent, state, dust, late] = parts;
  const onChain = network === "on-chain";
  const standing = {
    pending: payment(),
    contested: payment({ state: "confirmed", contested: true }),
    "in block": payment({ inBlock: true }),
    "back from a block": payment({ leftBlockAt: MONITORED }),
    confirmed: payment({ state: "confirmed", inBlock: onChain }),
    replaced: payment({ state: "replaced" }),
    evicted: payment({ state: "evicted" }),
    "double-spent": payment({ state: "replaced", doubleSpent: true }),
  }[state ?? ""];
  if (standing === undefined) throw new Error(`The scenario table does not know the state "${state}".`);
  return {
    ...standing,
    type: onChain ? "BTC-CHAIN" : "BTC-LN",
    amountSats: (DUE * BigInt(Math.round(Number(percent) * 1000))) / 100_000n,
    neverCounts: dust !== undefined,
    firstSeenAt:
      late === " very late"
        ? seconds(MONITORED, 1)
        : late === " late"
          ? seconds(EXPIRES, 1)
          : standing.firstSeenAt,
  };
}

function clockOf(clause: string): Date | undefined {
  switch (clause) {
    case "before expiry":
      return BEFORE_EXPIRY;
    case "after expiry":
      return AFTER_EXPIRY;
    case "after monitoring":
      return AFTER_MONITORING;
    default:
      return undefined;
  }
}

function syncOf(clauses: readonly string[]): SyncFacts {
  return {
    readUntil: clauses.includes("networks behind") ? null : CAUGHT_UP.readUntil,
    gapSince: clauses.includes("blocks unread") ? AFTER_EXPIRY : null,
    lossAt: clauses.includes("loss unchecked") ? BEFORE_EXPIRY : null,
    holdExpiryUntil: clauses.includes("hold over") ? EXPIRES : BEHIND.holdExpiryUntil,
  };
}

function one<T>(clauses: readonly string[], read: (clause: string) => T | undefined): T {
  const found = clauses.map(read).filter((value) => value !== undefined);
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(`Exactly one clock is needed: ${clauses.join("; ")}`);
  return found[0];
}
