import type { Merchant } from "./merchant";

export interface DemoInvoice {
  invoiceId: string;
  status: string;
  paidSats: number;
  remainingSats: number;
  checkoutUrl: string;
  paymentMethods: { type: string; destination: string | null }[];
}

interface InvoiceOptions {
  key?: string;
  expiresInSeconds?: number;
  requiredConfirmations?: number;
}

/** The store's side of the REST API, with its key. */
export class StoreApi {
  constructor(
    private readonly apiUrl: string,
    private readonly merchant: Pick<Merchant, "storeId" | "apiKey">,
  ) {}

  /** With a key it is made once, however often this is called. */
  createInvoice(
    amountSats: bigint,
    orderId: string,
    { key, ...rest }: InvoiceOptions = {},
  ): Promise<DemoInvoice> {
    const body = {
      amount: String(amountSats),
      currency: "SATS",
      metadata: { orderId },
      expiresInSeconds: 3_600,
      ...rest,
    };
    return this.call("POST", "invoices", body, key === undefined ? {} : { "idempotency-key": key });
  }

  async markInvalid(invoiceId: string, note: string): Promise<void> {
    await this.call("POST", `invoices/${invoiceId}/status`, { status: "Invalid", note });
  }

  readInvoice(invoiceId: string): Promise<DemoInvoice> {
    return this.call("GET", `invoices/${encodeURIComponent(invoiceId)}`);
  }

  async deleteWebhook(webhookId: string): Promise<void> {
    await this.call("DELETE", `webhooks/${webhookId}`);
  }

  private async call<T>(method: string, path: string, body?: object, headers: object = {}): Promise<T> {
    const response = await fetch(`${this.apiUrl}/api/v1/stores/${this.merchant.storeId}/${path}`, {
      method,
      headers: { "x-api-key": this.merchant.apiKey, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`);
    return (text === "" ? null : JSON.parse(text)) as T;
  }
}

/** Null while the node is away; then it comes later. */
export function bolt11Of({ paymentMethods }: DemoInvoice): string | null {
  return paymentMethods.find(({ type }) => type === "BTC-LN")?.destination ?? null;
}

export function chainAddress({ invoiceId, paymentMethods }: DemoInvoice): string {
  const address = paymentMethods.find(({ type }) => type === "BTC-CHAIN")?.destination;
  if (!address) throw new Error(`${invoiceId} has no address`);
  return address;
}

const READY_POLL_MS = 200;

interface HealthAnswer {
  status: string;
  checks: Record<string, { status: string; reason?: string }>;
}

/** What health says is not well yet; null when all is. */
async function notReady(apiUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${apiUrl}/api/v1/health`);
    const { status, checks } = (await response.json()) as HealthAnswer;
    if (status === "ok") return null;
    return Object.entries(checks)
      .filter(([, check]) => check.status !== "ok" && check.status !== "off")
      .map(([name, { reason = "" }]) => `${name}: ${reason}`)
      .join(" ");
  } catch {
    return "The API does not answer.";
  }
}

/** Null once health is well, or what it said last when the time is up. */
export async function untilReady(apiUrl: string, withinMs: number): Promise<string | null> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const reason = await notReady(apiUrl);
    if (reason === null || performance.now() > deadline) return reason;
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  }
}
