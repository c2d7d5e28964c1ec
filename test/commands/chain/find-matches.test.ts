import { Transaction } from "bitcoinjs-lib";
import { expect } from "chai";
import { findMatches } from "../../../commands/chain/record-transactions";
import { type DecodedTx, decodeTx } from "../../../domain/chain/decode-tx";
import { testDatabase } from "../../support/database";

/** A transaction of its own number, with an input and an output. */
function tx(number: number): DecodedTx {
  const made = new Transaction();
  const hash = Buffer.alloc(32, 1);
  hash.writeUInt32LE(number, 20);
  made.addInput(hash, number % 3);
  made.addOutput(Buffer.concat([Buffer.from("0014", "hex"), hash.subarray(12)]), 1_000n);
  return decodeTx(made.toBuffer());
}

const TXS = Array.from({ length: 1_100 }, (_, number) => tx(number));
const outpointOf = (number: number): Buffer => TXS[number]?.inputs[0]?.outpoint ?? Buffer.alloc(36);
const scriptOf = (number: number): Buffer => TXS[number]?.outputs[0]?.scriptPubKey ?? Buffer.alloc(0);

describe("matching a block's transactions", () => {
  for (const [inputs, txs] of [
    [10, 1_100],
    [1_000, 1_100],
    [1_001, 1_100],
    [5_000, 1_100],
    [10, 3],
    [5_000, 3],
  ] as const)
    it(`finds payments in ${txs} transactions with ${inputs} stored inputs`, async () => {
      const db = await testDatabase();
      try {
        await db.query(
          `INSERT INTO watched_scripts (script_pub_key, invoice_id, wallet_id, address_index)
           SELECT script, 'inv_' || n, 'drv', n FROM unnest($1::bytea[]) WITH ORDINALITY AS watched (script, n)`,
          [[scriptOf(1), scriptOf(1_099), Buffer.alloc(22, 9)]],
        );
        await db.query(
          `INSERT INTO payment_inputs (outpoint, txid)
           SELECT sha256(int4send(n)) || int4send(n), 'of nobody here' FROM generate_series(4, $1::int) AS n`,
          [inputs],
        );
        const own = TXS[0]?.txid ?? "";
        await db.query(
          `INSERT INTO payment_inputs (outpoint, txid) SELECT * FROM unnest($1::bytea[], $2::text[])`,
          [
            [outpointOf(0), outpointOf(2), outpointOf(2)],
            [own, "a", "b"],
          ],
        );
        const some = TXS.slice(0, txs);
        const { paid, spent } = await findMatches(db.manager, some);
        const payers = paid.map(({ tx: payer, watched }) => [some.indexOf(payer), watched.invoiceId]);
        expect(payers).to.deep.equal(txs === 3 ? [[1, "inv_1"]] : [[1, "inv_1"], [1_099, "inv_2"]]); // prettier-ignore
        const spenders = spent.map(({ tx: spender, watched }) => `${some.indexOf(spender)} ${watched.txid}`);
        expect(spenders, "a payment's own transaction is no conflict").to.have.members(["2 a", "2 b"]);
      } finally {
        await db.destroy();
      }
    });
});
