import { makeTestCustomer } from "../../adapters/http/test-customer";
import { bolt11Of, chainAddress, StoreApi, type DemoInvoice } from "./api";
import { DemoFolder, DemoRefusal, type Running } from "./folder";
import type { DemoPlace } from "./place";

const usage = (
  command: string,
): string => `usage: ${command} inv_…              pay what an invoice still needs
       ${command} inv_… --lightning  the same by Lightning
       ${command} <address> <sats>   pay any amount to any address
       ${command} lnbcrt…            pay any BOLT11 of the demo's node`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function readInvoice(folder: DemoFolder, { apiUrl }: Running, id: string): Promise<DemoInvoice> {
  const { storeId, apiKey } = folder.readKept() ?? {};
  if (storeId === undefined || apiKey === undefined) throw new DemoRefusal("The demo has no store yet.");
  const invoice = await new StoreApi(apiUrl, { storeId, apiKey }).readInvoice(id);
  if (invoice.remainingSats === 0) throw new DemoRefusal(`${id} is ${invoice.status}: nothing is due.`);
  return invoice;
}

async function payByLightning({ customerUrl }: Running, bolt11: string): Promise<void> {
  const preimage = await makeTestCustomer(customerUrl).payBolt11(bolt11);
  say(`paid by Lightning\npreimage ${preimage}`);
}

async function payOnChain({ customerUrl }: Running, address: string, sats: bigint): Promise<void> {
  const txid = await makeTestCustomer(customerUrl).pay(address, sats);
  say(`${sats} sats to ${address}\ntransaction ${txid}`);
}

async function payAsked(args: readonly string[], place: DemoPlace): Promise<void> {
  const folder = new DemoFolder(place.dir);
  const running = folder.readRunning();
  if (running === null) throw new DemoRefusal(`No demo runs here: start one with \`${place.start}\`.`);
  const lightning = args.includes("--lightning");
  const [to = "", amount, ...more] = args.filter((arg) => arg !== "--lightning");
  const sats = amount !== undefined && /^[1-9]\d{0,15}$/.test(amount) ? BigInt(amount) : null;
  if (to === "" || more.length > 0 || (amount !== undefined && sats === null))
    throw new DemoRefusal(usage(place.pay));
  if (to.toLowerCase().startsWith("lnbcrt")) return payByLightning(running, to);
  if (!to.startsWith("inv")) {
    if (sats === null || lightning) throw new DemoRefusal(usage(place.pay));
    return payOnChain(running, to, sats);
  }
  const invoice = await readInvoice(folder, running, to);
  if (!lightning) return payOnChain(running, chainAddress(invoice), sats ?? BigInt(invoice.remainingSats));
  const bolt11 = bolt11Of(invoice);
  if (bolt11 === null) throw new DemoRefusal(`${to} has no BOLT11 now.`);
  return payByLightning(running, bolt11);
}

/** The demo's customer pays what the command line says. */
export async function pay(args: readonly string[], place: DemoPlace): Promise<void> {
  try {
    await payAsked(args, place);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
