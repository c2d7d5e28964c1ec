import { createHash } from "node:crypto";
import { fillTables } from "./fill";

/** Of a wallet that has no row: these addresses are watched and never given out again. */
export const BENCH_WALLET_ID = "drv_bench";

/** The script of a number, as `fillScripts` writes it: spread over the whole index, as real ones are. */
export function scriptOfNumber(number: number): Buffer {
  const program = createHash("sha256").update(`script ${number}`).digest().subarray(0, 20);
  return Buffer.concat([Buffer.from([0, 20]), program]);
}

/** Scripts of the numbers from `from` (inclusive) to `to` (exclusive), each of an invoice `inv_<number>`. */
export async function fillScripts(databaseUrl: string, from: number, to: number): Promise<void> {
  if (from >= to) return;
  await fillTables(databaseUrl, ["watched_scripts"], to - from, [
    [
      `INSERT INTO watched_scripts (script_pub_key, invoice_id, wallet_id, address_index)
       SELECT '\\x0014'::bytea || substr(sha256(convert_to('script ' || n, 'UTF8')), 1, 20), 'inv_' || n, $3, n
         FROM generate_series($1::int, $2::int - 1) AS n`,
      [from, to, BENCH_WALLET_ID],
    ],
  ]);
}
