import { expect } from "chai";
import { INVOICE_EXAMPLE } from "../../api/invoices/answer";
import type { Invoice, InvoicePayment } from "../../web/dashboard/api/invoices";
import { stepsOf } from "../../web/dashboard/pages/invoice/steps";

describe("where an invoice is, as steps", () => {
  const [CREATED, SEEN, EXPIRES, LATE] = [0, 5, 15, 20].map((minutes) =>
    new Date(Date.UTC(2026, 2, 1, 12, minutes)).toISOString(),
  ) as [string, string, string, string];
  const onchain = (rest: Partial<InvoicePayment> = {}): InvoicePayment => ({
    id: "tx:0",
    type: "BTC-CHAIN",
    amountSats: 1_000,
    state: "pending",
    firstSeenAt: SEEN,
    confirmedAt: null,
    late: false,
    confirmations: 1,
    ...rest,
  });
  const invoice = (rest: Partial<Invoice>): Invoice => ({
    ...(INVOICE_EXAMPLE as unknown as Invoice),
    createdAt: CREATED,
    expiresAt: EXPIRES,
    requiredConfirmations: 3,
    remainingSats: 0,
    payments: [],
    ...rest,
  });
  const told = (rest: Partial<Invoice>): string[] =>
    stepsOf(invoice(rest)).map(({ title, state, at, until, note }) =>
      [state, title, at?.slice(11, 16), until?.slice(11, 16), note].filter(Boolean).join(" "),
    );
  const confirmed = onchain({ state: "confirmed", confirmedAt: SEEN, confirmations: 4 });
  const lightning = onchain({ type: "BTC-LN", state: "confirmed", confirmedAt: SEEN });

  const cases: [string, Partial<Invoice>, string[]][] = [
    [
      "new",
      { status: "New", remainingSats: 9 },
      ["done Created 12:00", "now Payment 12:15", "next Confirmations", "next Settled"],
    ],
    [
      "partly paid",
      { status: "New", remainingSats: 9, payments: [confirmed] },
      [
        "done Created 12:00",
        "now A part was paid 12:05 9 sats missing",
        "done Confirmed 12:05",
        "next Settled",
      ],
    ],
    [
      "waiting for confirmations, and not counting what was replaced",
      {
        status: "Processing",
        payments: [onchain(), onchain({ confirmations: 2 }), onchain({ state: "replaced" })],
      },
      ["done Created 12:00", "done Payment seen 12:05", "now 1 of 3 confirmations", "next Settled"],
    ],
    [
      "paid",
      { status: "Settled", payments: [confirmed] },
      ["done Created 12:00", "done Payment seen 12:05", "done Confirmed 12:05", "done Settled 12:05"],
    ],
    [
      "paid by Lightning",
      { status: "Settled", payments: [lightning] },
      ["done Created 12:00", "done Payment seen 12:05", "done Settled 12:05"],
    ],
    [
      "settled by hand",
      { status: "Settled", remainingSats: 9 },
      ["done Created 12:00", "done Settled by hand"],
    ],
    ["never paid", { status: "Expired", remainingSats: 9 }, ["done Created 12:00", "bad Expired 12:15"]],
    [
      "underpaid",
      { status: "Expired", additionalStatus: "Underpaid", remainingSats: 9, payments: [confirmed] },
      [
        "done Created 12:00",
        "warn A part was paid 12:05 9 sats missing",
        "bad Expired 12:15",
        "done Confirmed 12:05",
        "now Review by hand",
      ],
    ],
    [
      "paid late, not confirmed yet",
      { status: "Expired", payments: [onchain({ firstSeenAt: LATE, late: true, confirmations: 0 })] },
      [
        "done Created 12:00",
        "bad Expired 12:15",
        "done Payment seen 12:20",
        "now 0 of 3 confirmations",
        "next Settled",
      ],
    ],
    ["invalid", { status: "Invalid", remainingSats: 9 }, ["done Created 12:00", "bad Invalid"]],
  ];
  for (const [name, given, steps] of cases)
    it(`are ${steps.length} of an invoice that is ${name}`, () => expect(told(given)).to.deep.equal(steps));
});
