import { checkoutAddress } from "./address";
import type { Standing } from "./messages";
import { openPage } from "./open";

type Receiver = (event: MessageEvent) => void;

/** Called by plugins: `window.btcpay`. */
interface ShopModal {
  /** Needed only where the shop serves this script itself. */
  setApiUrlPrefix(url: string): void;
  /** Further parameters change nothing. */
  showInvoice(invoiceId: string): void;
  appendInvoiceFrame(invoiceId: string): void;
  appendAndShowInvoiceFrame(invoiceId: string): void;
  showFrame(): void;
  hideFrame(): void;
  onModalWillEnter(callback: () => void): void;
  onModalWillLeave(callback: () => void): void;
  /** `data`: "loaded", "close" (by the customer), or `{ invoiceId, status }`. */
  onModalReceiveMessage(callback: Receiver): void;
}

declare global {
  interface Window {
    btcpay?: ShopModal;
  }
}

/** No plugin knows New; a late payment must not look like one that completes the order. */
function wordOf({ status, phase }: Standing): string | null {
  if (phase === "paidLate") return "expired";
  const words = {
    New: null,
    Processing: "paid",
    Settled: "complete",
    Expired: "expired",
    Invalid: "invalid",
  };
  return words[status];
}

/** A merchant may have typed a capital, the port or two slashes. */
function baseOf(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") throw new TypeError(`${url} is no address of a website`);
  return origin + pathname.replace(/\/*$/, "/");
}

/** Perhaps after it has opened the invoice. */
interface Callbacks {
  willEnter: () => void;
  willLeave: () => void;
  receive: Receiver;
}

/** Returns how the shop hides it, which is no message of the customer's. */
function openFor(
  { url, named }: { url: URL; named: string },
  callbacks: Callbacks,
  closed: () => void,
): () => void {
  let hidden = false;
  let loaded = false;
  let sent: string | null = null;
  const send = (data: unknown): void =>
    callbacks.receive(new MessageEvent("message", { data, origin: url.origin }));
  callbacks.willEnter();
  const handle = openPage(url, {
    onStatus(standing) {
      if (!loaded) send("loaded");
      loaded = true;
      const status = wordOf(standing);
      if (status === null || status === sent) return;
      sent = status;
      send({ invoiceId: named, status });
    },
    onClose() {
      closed();
      callbacks.willLeave();
      if (!hidden) send("close");
    },
  });
  return () => {
    hidden = true;
    handle.close();
  };
}

function start(scriptUrl: string | null): ShopModal {
  const callbacks: Callbacks = {
    willEnter: () => undefined,
    willLeave: () => undefined,
    receive: () => undefined,
  };
  let base = scriptUrl === null ? null : new URL("..", scriptUrl).href;
  let last: string | null = null;
  let hide: (() => void) | null = null;

  function show(invoiceId: string): void {
    if (base === null) throw new Error("Call btcpay.setApiUrlPrefix(url) first.");
    const url = checkoutAddress(base, invoiceId);
    if (url === null) throw new TypeError(`${invoiceId} is no invoice of ${base}`);
    hide?.();
    last = invoiceId;
    const named = /[^/?#]+(?=\/?(?:[?#]|$))/.exec(invoiceId)?.[0] ?? invoiceId;
    hide = openFor({ url, named }, callbacks, () => (hide = null));
  }

  return {
    setApiUrlPrefix: (url) => void (base = baseOf(url)),
    showInvoice: show,
    appendInvoiceFrame: show,
    appendAndShowInvoiceFrame: show,
    showFrame() {
      if (hide === null && last !== null) show(last);
    },
    hideFrame: () => hide?.(),
    onModalWillEnter: (callback) => void (callbacks.willEnter = callback),
    onModalWillLeave: (callback) => void (callbacks.willLeave = callback),
    onModalReceiveMessage: (callback) => void (callbacks.receive = callback),
  };
}

/** Null: in a file of the shop's own. */
function ownAddress(): string | null {
  const script = document.currentScript ?? document.querySelector('script[src*="/modal/btcpay.js"]');
  const src = script instanceof HTMLScriptElement ? script.src : "";
  return URL.canParse(src) && new URL(src).pathname.endsWith("/modal/btcpay.js") ? src : null;
}

// An element with the id "btcpay" is window.btcpay too.
if (typeof window.btcpay?.showInvoice !== "function") window.btcpay = start(ownAddress());
