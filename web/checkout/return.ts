import { isTyping } from "./state";

const SECONDS = 5;

let begun = false;
/** For browsers that store nothing of foreign frames. */
let wasUnpaid = false;

/**
 * Once, in the tab in which the customer paid: a later visit for the receipt stays. A phone may have dropped the page
 * meanwhile.
 */
export function goBackOnceDone(main: HTMLElement, leave: () => ((url: string) => void) | null): void {
  const key = `unpaid:${location.pathname}`;
  const place = document.querySelector<HTMLElement>("[data-redirect]");
  if (main.dataset.phase !== undefined && place === null) remember(key);
  const link = document.querySelector<HTMLAnchorElement>("#return");
  const go = leave();
  if (place === null || link === null || go === null || begun || !forget(key)) return;
  begun = true;
  const { href } = link;
  count(SECONDS, () => go(href));
}

function count(seconds: number, go: () => void): void {
  if (seconds === 0 && !isTyping()) return go();
  const place = document.querySelector<HTMLElement>("[data-redirect]");
  if (place !== null) {
    place.textContent = (place.dataset.redirect ?? "").replace("{seconds}", String(seconds));
    place.hidden = false;
  }
  setTimeout(() => count(Math.max(0, seconds - 1), go), 1_000);
}

function remember(key: string): void {
  wasUnpaid = true;
  try {
    sessionStorage.setItem(key, "1");
  } catch {
    // The button is there.
  }
}

function forget(key: string): boolean {
  try {
    const known = sessionStorage.getItem(key) !== null;
    sessionStorage.removeItem(key);
    return known || wasUnpaid;
  } catch {
    return wasUnpaid;
  }
}
