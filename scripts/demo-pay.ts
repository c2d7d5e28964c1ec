import path from "node:path";
import { chainAddress, StoreApi } from "./demo/api";
import { DemoFolder, DemoRefusal } from "./demo/folder";
import { customerOf } from "./demo/node";

const USAGE = `usage: npm run -s demo:pay -- inv_…              pay what an invoice still needs
       npm run -s demo:pay -- <address> <sats>   pay any amount to any address`;

/** Where to, and how much. */
async function paymentFor(folder: DemoFolder, apiUrl: string, args: string[]): Promise<[string, bigint]> {
  const [to = "", amount] = args;
  if (!to.startsWith("inv_")) {
    if (to === "" || amount === undefined || !/^[1-9]\d{0,15}$/.test(amount)) throw new DemoRefusal(USAGE);
    return [to, BigInt(amount)];
  }
  const { storeId, apiKey } = folder.readKept() ?? {};
  if (storeId === undefined || apiKey === undefined) throw new DemoRefusal("The demo has no store yet.");
  const invoice = await new StoreApi(apiUrl, { storeId, apiKey }).readInvoice(to);
  if (invoice.remainingSats === 0) throw new DemoRefusal(`${to} is ${invoice.status}: nothing is due.`);
  return [chainAddress(invoice), BigInt(amount ?? invoice.remainingSats)];
}

async function main(args: string[]): Promise<void> {
  const folder = new DemoFolder(path.join(__dirname, "../..", ".demo"));
  const running = folder.readRunning();
  if (running === null) throw new DemoRefusal("No demo runs here: start one with `npm run demo`.");
  const [address, sats] = await paymentFor(folder, running.apiUrl, args);
  const customer = await customerOf(running);
  if (customer === null) throw new DemoRefusal("The node has no wallet to pay from.");
  const txid = await customer.pay(address, sats);
  process.stdout.write(`${sats} sats to ${address}\ntransaction ${txid}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
