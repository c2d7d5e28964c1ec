import { expect } from "chai";
import fc from "fast-check";
import { detectOnchainPayments } from "../../commands/chain/detect-onchain-payments";
import { rescanChain } from "../../commands/chain/rescan-chain";
import { ChainBench } from "../support/chain";

interface Step {
  what:
    | "pay"
    | "pay both"
    | "pay with parent"
    | "bump"
    | "bump elsewhere"
    | "double-spend"
    | "double-spend the parent"
    | "drop"
    | "mine"
    | "reorganise"
    | "reorganise without"
    | "reorganise with double spend"
    | "restart"
    | "look"
    | "look anew"
    | "old hint"
    | "rescan"
    | "time passes";
  pick: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constant("pay" as const) },
    { weight: 6, arbitrary: fc.constant("look" as const) },
    { weight: 4, arbitrary: fc.constant("mine" as const) },
    {
      weight: 14,
      arbitrary: fc.constantFrom(
        "pay both" as const,
        "pay with parent" as const,
        "bump" as const,
        "bump elsewhere" as const,
        "double-spend" as const,
        "double-spend the parent" as const,
        "drop" as const,
        "reorganise" as const,
        "reorganise without" as const,
        "reorganise with double spend" as const,
        "restart" as const,
        "look anew" as const,
        "old hint" as const,
        "rescan" as const,
        "time passes" as const,
      ),
    },
  ),
  pick: fc.nat(1_000),
});

describe("payments in any sequence of events", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  /** Sats and number of the outputs to a script in blocks and mempool, by the node's own data. */
  const truth = (script: Buffer): { outputs: string[]; mined: string[] } => {
    const { core } = bench.node;
    const outputs: string[] = [];
    const mined: string[] = [];
    for (let height = 1; height <= core.chain.tip.height; height += 1)
      for (const tx of core.chain.at(height)?.txs ?? [])
        tx.outs.forEach((out, vout) => {
          if (script.equals(Buffer.from(out.script))) mined.push(`${tx.getId()}:${vout}`);
        });
    for (const { tx, txid } of core.mempool.entries.values())
      tx.outs.forEach((out, vout) => {
        if (script.equals(Buffer.from(out.script))) outputs.push(`${txid}:${vout}`);
      });
    return { outputs: [...outputs, ...mined].sort(), mined: mined.sort() };
  };

  it("exactly the payments in the node's blocks and mempool count, each once", async function () {
    this.timeout(300_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const { node } = bench;
        const invoices = [await bench.invoice(), await bench.invoice()] as const;
        const sent: string[] = [];
        const parents: string[] = [];
        let passedMs = 0;
        const raws: Buffer[] = [];
        const send = async (txid: string): Promise<void> => {
          sent.push(txid);
          raws.push(Buffer.from(await node.rpc<string>("getrawtransaction", txid), "hex"));
        };
        const waiting = (): string[] => sent.filter((txid) => node.core.mempool.entries.has(txid));
        const one = (from: readonly string[], pick: number): string | undefined => from[pick % from.length];
        for (const { what, pick } of steps) {
          const invoice = invoices[pick % 2 === 0 ? 0 : 1];
          const txid = one(waiting(), pick);
          const depth = 1 + (pick % 4);
          const minedSent = sent.filter(
            (id) => !node.core.mempool.entries.has(id) && isMined(id, node.core.chain.tip.height - depth),
          );
          const unmine = one(minedSent, pick);
          switch (what) {
            case "pay":
              await send(await node.pay(invoice.address, BigInt(1_000 + pick)));
              break;
            case "pay both":
              await send(
                await node.payMany(
                  invoices.map(({ address }) => ({ address, amountSats: BigInt(2_000 + pick) })),
                ),
              );
              break;
            case "pay with parent": {
              const parent = await node.pay(await node.newAddress(), 500_000n);
              parents.push(parent);
              await send(await node.pay(invoice.address, BigInt(3_000 + pick), { spending: parent }));
              break;
            }
            case "double-spend the parent": {
              const parent = one(
                parents.filter((id) => node.core.mempool.entries.has(id)),
                pick,
              );
              if (parent) await node.doubleSpend(parent);
              break;
            }
            case "bump":
              if (txid) await send(await node.bump(txid));
              break;
            case "bump elsewhere":
              if (txid)
                await node.bump(txid, { to: [{ address: await node.newAddress(), amountSats: 1_000n }] });
              break;
            case "double-spend":
              if (txid) await node.doubleSpend(txid);
              break;
            case "drop":
              if (txid) await node.dropFromMempool(txid);
              break;
            case "mine":
              await node.mine(1 + (pick % 2));
              break;
            case "reorganise":
              await node.reorg(depth);
              break;
            case "reorganise without":
              await node.reorg(depth, unmine ? { exclude: [unmine] } : {});
              break;
            case "reorganise with double spend":
              await node.reorg(depth, unmine ? { doubleSpend: [unmine] } : {});
              break;
            case "restart":
              await node.restart();
              break;
            case "look":
              await bench.look();
              break;
            case "look anew":
              bench.forget();
              await bench.look();
              break;
            case "old hint": {
              const raw = raws[pick % Math.max(1, raws.length)];
              await bench.holdLease();
              if (raw) await detectOnchainPayments(bench.watch, [raw]);
              break;
            }
            case "rescan": {
              await bench.look();
              const height = (await bench.cursor())?.height ?? 0;
              await rescanChain(bench.ctx, height - depth);
              break;
            }
            case "time passes":
              bench.ctx.clock.advance((pick % 20) * 60_000);
              passedMs += (pick % 20) * 60_000;
              break;
          }
        }
        // Twice: what the first look broadcasts again, the second finds.
        await bench.look();
        await bench.look();
        bench.ctx.clock.advance(-passedMs); // the node's clock did not move: the next story begins at one time
        for (const { id } of invoices) {
          const [row] = await bench.ctx.db.query<{ s: Buffer }[]>(
            `SELECT script_pub_key AS s FROM watched_scripts WHERE invoice_id = $1`,
            [id],
          );
          const payments = await bench.payments(id);
          const live = payments.filter(({ state }) => state === "pending" || state === "confirmed");
          const { outputs, mined } = truth(row?.s ?? Buffer.alloc(0));
          // One that a full conflict rule or ten minutes still hold as pending is not in the node: contested or missing.
          const certain = live.filter(
            (payment) => payment.conflictTxid === null && payment.missingSince === null,
          );
          expect(live.filter(({ conflictHeights }) => conflictHeights.length > 0)).to.deep.equal([]);
          expect(certain.map((payment) => payment.id).sort()).to.deep.equal(outputs);
          expect(
            live
              .filter((payment) => payment.blockHash !== null)
              .map((payment) => payment.id)
              .sort(),
          ).to.deep.equal(mined);
          expect(
            new Set(payments.filter(({ state }) => state === "confirmed").map((p) => p.blockHash === null)),
          ).to.not.include(true);
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  const isMined = (txid: string, aboveHeight: number): boolean => {
    const { chain } = bench.node.core;
    for (let height = Math.max(1, aboveHeight + 1); height <= chain.tip.height; height += 1)
      if (chain.at(height)?.txids.includes(txid)) return true;
    return false;
  };
});
