import { z } from "zod";
import { parseJson, sendRequest } from "./send-request";

/** Requests to a simulated customer, sent as JSON by POST to `scripts/demo/customer-door.ts`. */
export type TestCustomerRequest =
  | { do: "abilities" }
  | { do: "pay"; address: string; sats: number }
  | { do: "pay-bolt11"; bolt11: string }
  /** Replaces the last unconfirmed payment to the address by a payment to the customer's own. */
  | { do: "double-spend"; address: string }
  | { do: "mine"; blocks: number };

export interface TestCustomerAbilities {
  onChain: boolean;
  lightning: boolean;
}

/** A simulated customer on regtest. All but `abilities` reject with TestCustomerError. */
export type TestCustomer = ReturnType<typeof makeTestCustomer>;

/** The customer refused, with the reason for the caller. */
export class TestCustomerError extends Error {
  override readonly name = "TestCustomerError";
}

/** A payment by Lightning may take a while. */
const DEADLINE_MS = 25_000;
const ANSWER_LIMIT_BYTES = 64 * 1_024;
const ABILITIES_DEADLINE_MS = 2_000;
const AWAY = "The simulated customer does not answer. Is it running?";

const abilitiesAnswer = z.object({ onChain: z.boolean(), lightning: z.boolean() });
const answers = {
  txid: z.object({ txid: z.string() }),
  preimage: z.object({ preimage: z.string() }),
  nothing: z.object({}),
  refusal: z.object({ error: z.string() }),
};

/** The customer behind `TEST_CUSTOMER_URL`. */
export function makeTestCustomer(url: string) {
  async function ask<T>(request: TestCustomerRequest, answer: z.ZodType<T>, ms = DEADLINE_MS): Promise<T> {
    const answered = await sendRequest(new URL(url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      deadlineMs: ms,
      answerBytesMax: ANSWER_LIMIT_BYTES,
    }).catch(() => null);
    const body = parseJson(answered?.text ?? "");
    const refused = answers.refusal.safeParse(body);
    if (refused.success) throw new TestCustomerError(refused.data.error);
    const read = answer.safeParse(body);
    if (answered?.status !== 200 || !read.success) throw new TestCustomerError(AWAY);
    return read.data;
  }
  return {
    /** Null if the customer does not answer. */
    abilities: (): Promise<TestCustomerAbilities | null> =>
      ask({ do: "abilities" }, abilitiesAnswer, ABILITIES_DEADLINE_MS).catch((error: unknown) => {
        if (!(error instanceof TestCustomerError)) throw error;
        return null;
      }),
    /** Returns the txid. */
    pay: async (address: string, sats: bigint) =>
      (await ask({ do: "pay", address, sats: Number(sats) }, answers.txid)).txid,
    /** Returns the preimage, hex. */
    payBolt11: async (bolt11: string) => (await ask({ do: "pay-bolt11", bolt11 }, answers.preimage)).preimage,
    /** Returns the txid of the replacement. */
    doubleSpend: async (address: string) => (await ask({ do: "double-spend", address }, answers.txid)).txid,
    mine: async (blocks: number) => void (await ask({ do: "mine", blocks }, answers.nothing)),
  };
}
