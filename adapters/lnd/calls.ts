import { z, type ZodSafeParseResult } from "zod";
import type { NodeInvoice } from "../../commands/ports";

const hexOf = (...sizes: readonly number[]) =>
  z
    .instanceof(Uint8Array)
    .refine((bytes) => sizes.includes(bytes.length))
    .transform((bytes) => Buffer.from(bytes).toString("hex"));
/** As the database keeps it. */
const wholeNumber = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt)
  .refine((value) => value < 2n ** 63n);
const SATS_MAX = 2_100_000_000_000_000n;
const sats = wholeNumber.refine((value) => value <= SATS_MAX);
/** RFC 3339 ends with the year 9999. */
const seconds = wholeNumber.refine((value) => value < 253_402_300_800n);
const nothing = z.object({});

/** The longest that LND reads or makes (zpay32). */
const bolt11 = z.string().max(7_089);

const STATES = { OPEN: "open", ACCEPTED: "accepted", SETTLED: "settled", CANCELED: "canceled" } as const;
const invoice = z
  .object({
    /** Empty for spontaneous AMP payments: not ours. */
    r_hash: hexOf(0, 32),
    /** Empty if LND does not know it (a hold invoice that is not ours). */
    r_preimage: z.instanceof(Uint8Array),
    state: z.enum(["OPEN", "ACCEPTED", "SETTLED", "CANCELED"]),
    payment_request: bolt11,
    amt_paid_msat: wholeNumber.refine((msat) => msat <= SATS_MAX * 1_000n),
    settle_date: seconds,
    settle_index: wholeNumber,
  })
  .transform((invoice): NodeInvoice => {
    const settled = invoice.state === "SETTLED";
    return {
      paymentHash: invoice.r_hash,
      state: STATES[invoice.state],
      bolt11: invoice.payment_request,
      amountPaidMsat: settled ? invoice.amt_paid_msat : 0n,
      settledAt: settled ? new Date(Number(invoice.settle_date) * 1_000) : null,
      settleIndex: settled ? invoice.settle_index : 0n,
      preimage: invoice.r_preimage.length === 32 ? Buffer.from(invoice.r_preimage).toString("hex") : null,
    };
  });

/** A side can send its balance less the reserve. */
const channels = z
  .object({
    channels: z.array(
      z.object({
        remote_balance: sats,
        remote_constraints: z.object({ chan_reserve_sat: sats }).nullish(),
      }),
    ),
  })
  .transform(({ channels: all }) =>
    all.reduce((sum, { remote_balance, remote_constraints }) => {
      const free = remote_balance - (remote_constraints?.chan_reserve_sat ?? 0n);
      return free > 0n ? sum + free : sum;
    }, 0n),
  )
  .refine((sum) => sum <= SATS_MAX);

const info = z.object({
  identity_pubkey: z.string().regex(/^0[23][0-9a-f]{64}$/),
  version: z.string().regex(/^[\x20-\x7e]{1,200}$/),
  synced_to_chain: z.boolean(),
  chains: z.array(z.object({ network: z.string().regex(/^[a-z0-9]{1,20}$/) })),
});

const walletState = z.object({
  state: z.enum(["NON_EXISTING", "LOCKED", "UNLOCKED", "RPC_ACTIVE", "SERVER_ACTIVE", "WAITING_TO_START"]),
});

/** Path, required right of the macaroon (null: none), and the answer's schema. */
export const CALLS = {
  getState: { service: "lnrpc.State", method: "GetState", right: null, answer: walletState },
  getInfo: { service: "lnrpc.Lightning", method: "GetInfo", right: "info:read", answer: info },
  listChannels: {
    service: "lnrpc.Lightning",
    method: "ListChannels",
    right: "offchain:read",
    answer: channels,
  },
  addInvoice: {
    service: "lnrpc.Lightning",
    method: "AddInvoice",
    right: "invoices:write",
    answer: z.object({ r_hash: hexOf(32), payment_request: bolt11.min(1) }),
  },
  lookupInvoice: {
    service: "lnrpc.Lightning",
    method: "LookupInvoice",
    right: "invoices:read",
    answer: invoice,
  },
  cancelInvoice: {
    service: "invoicesrpc.Invoices",
    method: "CancelInvoice",
    right: "invoices:write",
    answer: nothing,
  },
  subscribeInvoices: {
    service: "lnrpc.Lightning",
    method: "SubscribeInvoices",
    right: "invoices:read",
    answer: invoice,
  },
} as const satisfies Record<
  string,
  { service: string; method: string; right: string | null; answer: z.ZodType }
>;

export type CallName = keyof typeof CALLS;
export type Answer<N extends CallName> = z.output<(typeof CALLS)[N]["answer"]>;

export const readAnswer = <N extends CallName>(name: N, answer: unknown): ZodSafeParseResult<Answer<N>> =>
  CALLS[name].answer.safeParse(answer) as ZodSafeParseResult<Answer<N>>;
