import { bolt11Of, chainAddress, type DemoInvoice, type StoreApi } from "./api";
import type { ChainCustomer, LightningCustomer } from "./customer-door";
import type { WebhookEvent } from "./receiver";

const PRICE_SATS = 25_000n;
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 500;

/** An invoice by each payment method from New to Settled, for somebody who looks on. */
export class FirstInvoices {
  private readonly events: WebhookEvent[] = [];
  private wake: () => void = () => undefined;

  constructor(private readonly step: (text: string) => void) {}

  heard(event: WebhookEvent): void {
    this.events.push(event);
    this.wake();
  }

  async payOnChain(api: StoreApi, customer: ChainCustomer | null): Promise<void> {
    const begin = performance.now();
    this.step(`the shop makes an invoice over ${PRICE_SATS} sats`);
    const invoice = await api.createInvoice(PRICE_SATS, "demo-order");
    const address = chainAddress(invoice);
    await this.event(invoice.invoiceId, "New");
    if (customer === null) return this.step(`it is to be paid to ${address}`);
    this.step(`the customer pays to ${address}`);
    await customer.pay(address, PRICE_SATS);
    await this.event(invoice.invoiceId, "Processing");
    this.step("a block is mined");
    await customer.mine(1);
    await this.event(invoice.invoiceId, "Settled");
    this.step(`paid and confirmed ${secondsSince(begin)} s after it was made`);
  }

  async payByLightning(api: StoreApi, customer: LightningCustomer | null): Promise<void> {
    const begin = performance.now();
    this.step(`the shop makes another one`);
    const invoice = await api.createInvoice(PRICE_SATS, "demo-order-2");
    await this.event(invoice.invoiceId, "New");
    const bolt11 = await this.bolt11(api, invoice);
    if (customer === null) return this.step(`it is to be paid by Lightning: ${bolt11}`);
    this.step(`the customer pays by Lightning: ${bolt11.slice(0, 20)}…`);
    await customer.pay(bolt11);
    await this.event(invoice.invoiceId, "Settled");
    this.step(`paid by Lightning ${secondsSince(begin)} s after it was made`);
  }

  private async bolt11(api: StoreApi, invoice: DemoInvoice): Promise<string> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let read = invoice; ; read = await api.readInvoice(invoice.invoiceId)) {
      const bolt11 = bolt11Of(read);
      if (bolt11 !== null) return bolt11;
      if (performance.now() > deadline)
        throw new Error(`${invoice.invoiceId} got no BOLT11 within ${PATIENCE_MS / 1_000} s.`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  private async event(invoiceId: string, type: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!this.events.some((event) => event.invoiceId === invoiceId && event.type === type)) {
      const restMs = deadline - performance.now();
      if (restMs <= 0)
        throw new Error(`The webhook ${type} of ${invoiceId} did not come within ${PATIENCE_MS / 1_000} s.`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

function secondsSince(begin: number): string {
  return ((performance.now() - begin) / 1_000).toFixed(1);
}
