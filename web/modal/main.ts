import { checkoutAddress } from "./address";
import { openPage, type Handle, type Options } from "./open";

/** `window.quittance`. */
interface Quittance {
  /** An id or checkoutUrl. Throws for anything else. */
  open(invoice: string, options?: Options): Handle;
  close(): void;
}

declare global {
  interface Window {
    quittance?: Quittance;
  }
}

function start(script: HTMLScriptElement): void {
  const base = new URL(".", script.src).href;
  let current: Handle | null = null;

  function show(url: URL, options: Options): Handle {
    current?.close();
    current = openPage(url, options);
    return current;
  }

  window.quittance = {
    open(invoice, options = {}) {
      const url = checkoutAddress(base, invoice, options.language);
      if (url === null) throw new TypeError(`${invoice} is no invoice of ${base}`);
      return show(url, options);
    },
    close: () => current?.close(),
  };

  // <a data-quittance href="…/i/inv_…">: a plain link wherever this does not run.
  document.addEventListener("click", (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
    if (event.defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[data-quittance]") : null;
    const url = link === null ? null : checkoutAddress(base, link.href);
    if (url === null) return;
    event.preventDefault();
    show(url, {});
  });
}

const script = document.currentScript ?? document.querySelector('script[src$="/modal.js"]');
if (window.quittance === undefined && script instanceof HTMLScriptElement) start(script);
