import { chainAddress, type StoreApi } from "./api";
import type { Customer } from "./node";
import type { WebhookEvent } from "./receiver";

const PRICE_SATS = 25_000n;
const ORDER = "demo-order";
const PATIENCE_MS = 60_000;

/** One invoice from New to Settled, for somebody who looks on. */
export class FirstInvoice {
  private readonly events: WebhookEvent[] = [];
  private wake: () => void = () => undefined;

  constructor(private readonly step: (text: string) => void) {}

  heard(event: WebhookEvent): void {
    this.events.push(event);
    this.wake();
  }

  async play(api: StoreApi, customer: Customer | null): Promise<void> {
    const begin = performance.now();
    this.step(`the shop makes an invoice over ${PRICE_SATS} sats`);
    const invoice = await api.createInvoice(PRICE_SATS, ORDER);
    const address = chainAddress(invoice);
    await this.event(invoice.invoiceId, "New");
    if (customer === null) return this.step(`it is to be paid to ${address}`);
    this.step(`the customer pays to ${address}`);
    await customer.pay(address, PRICE_SATS);
    await this.event(invoice.invoiceId, "Processing");
    this.step("a block is mined");
    await customer.mine(1);
    await this.event(invoice.invoiceId, "Settled");
    this.step(`paid and confirmed ${((performance.now() - begin) / 1_000).toFixed(1)} s after it was made`);
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
