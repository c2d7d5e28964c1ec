import type { Hello, InvoiceStatus, FrameMessage } from "../modal/messages";

/** The page that frames this one. */
export interface Shop {
  /** Null until the shop has greeted: others cannot be led away. */
  leave(): ((url: string) => void) | null;
}

/** By phase (domain/invoice/phase.ts); others are New. */
const STATUSES: Readonly<Record<string, InvoiceStatus>> = {
  seen: "Processing",
  paid: "Settled",
  accepted: "Settled",
  overpaid: "Settled",
  paidLate: "Settled",
  expired: "Expired",
  underpaid: "Expired",
  lateSeen: "Expired",
  invalid: "Invalid",
};

type Notice = { type: "ready" | "status" | "close" } | { type: "return"; url: string };

/**
 * The framing page must be the direct parent, of an origin that the store named, and greet first. Null: nothing frames
 * this page.
 */
export function meetShop(main: HTMLElement): Shop | null {
  if (window.parent === window) return null;
  const allowed = (main.dataset.framedBy ?? "").split(" ");
  const invoiceId = location.pathname.split("/").pop() ?? "";
  let origin: string | null = null;
  let notified = "";

  function notify(notice: Notice): void {
    if (origin === null) return;
    const { phase = "" } = main.dataset;
    const status = STATUSES[phase] ?? "New";
    notified = phase;
    const message: FrameMessage = { source: "quittance", version: 1, invoiceId, status, phase, ...notice };
    window.parent.postMessage(message, origin);
  }

  window.addEventListener("message", (event: MessageEvent<Partial<Hello> | null>) => {
    if (event.source !== window.parent || !allowed.includes(event.origin)) return;
    if (event.data?.source !== "quittance" || event.data.type !== "hello") return;
    origin = event.origin;
    notify({ type: "ready" });
  });
  new MutationObserver(() => {
    if (main.dataset.phase !== notified) notify({ type: "status" });
  }).observe(main, { attributes: true, attributeFilter: ["data-phase"] });
  // A dialog around the frame does not receive the key.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) notify({ type: "close" });
  });
  return { leave: () => (origin === null ? null : (url) => notify({ type: "return", url })) };
}
