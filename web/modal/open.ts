import { canShow, showDialog } from "./dialog";
import type { Hello, Standing, FrameMessage } from "./messages";
import { wordsFor } from "./texts";

export interface Options {
  /** At each change, and once at the start. */
  onStatus?: (standing: Standing) => void;
  /** Once, when Settled. Only for display: the webhook proves payment. */
  onPaid?: (standing: Standing) => void;
  /** Null: closed before it was there. */
  onClose?: (standing: Standing | null) => void;
  /** BCP 47; else the invoice's language, else the browser's. */
  language?: string;
}

export interface Handle {
  close(): void;
}

const READY_WITHIN_MS = 8_000;

function notifier({ onStatus, onPaid }: Options) {
  let last: Standing | null = null;
  let paid = false;
  return {
    last: () => last,
    notify({ invoiceId, status, phase }: Standing): void {
      // Sent again when the customer changes the language.
      if (last?.phase === phase) return;
      last = { invoiceId, status, phase };
      onStatus?.(last);
      if (status !== "Settled" || paid) return;
      paid = true;
      onPaid?.(last);
    },
  };
}

/** Goes to the page where it cannot be framed. */
export function openPage(url: URL, options: Options): Handle {
  if (!canShow()) {
    location.assign(url);
    return { close: () => undefined };
  }
  const { lang } = document.documentElement;
  const { dialog, frame, remove } = showDialog(
    url.href,
    wordsFor([options.language, lang, ...navigator.languages]),
  );
  const invoiceId = url.pathname.split("/").pop() ?? "";
  const { last, notify } = notifier(options);
  let over = false;

  const timer = setTimeout(() => {
    warn(url);
    end();
    location.assign(url);
  }, READY_WITHIN_MS);

  function hear({ origin, source, data }: MessageEvent<Partial<FrameMessage> | null>): void {
    if (origin !== url.origin || source !== frame.contentWindow) return;
    if (data?.source !== "quittance" || data.version !== 1 || data.invoiceId !== invoiceId) return;
    clearTimeout(timer);
    dialog.classList.add("ready");
    const message = data as FrameMessage;
    if (message.type === "close") close();
    else if (message.type === "return") goBack(message.url);
    else notify(message);
  }

  function end(): void {
    over = true;
    clearTimeout(timer);
    window.removeEventListener("message", hear);
    remove();
  }

  function closed(): void {
    if (over) return;
    end();
    options.onClose?.(last());
  }

  function close(): void {
    dialog.close();
    closed();
  }

  window.addEventListener("message", hear);
  frame.addEventListener("load", () => {
    const hello: Hello = { source: "quittance", version: 1, type: "hello" };
    frame.contentWindow?.postMessage(hello, url.origin);
  });
  dialog.addEventListener("close", closed);
  return { close };
}

/** A redirectUrl may be no script. */
function goBack(address: string): void {
  const { protocol } = new URL(address);
  if (protocol === "https:" || protocol === "http:") location.assign(address);
}

function warn({ origin, href }: URL): void {
  // The shop's developers read it here and nowhere else.
  // eslint-disable-next-line no-console
  console.warn(
    `quittance: ${href} did not answer in a frame, so it is opened as a page. Add ${location.origin} to the store's ` +
      `checkoutOrigins (dashboard: Settings, General, In your shop), and ${origin} to frame-src of this page's ` +
      `Content-Security-Policy where it has one.`,
  );
}
