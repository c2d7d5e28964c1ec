/** `/i/{invoiceId}/state` (api/checkout/state.ts). */
export interface State {
  version: string;
  phase: string;
  poll: boolean;
  secondsLeft: number | null;
  title: string;
  html: string;
}

const TYPED = "textarea, input[type=email]";

export const isTyping = (): boolean => document.activeElement?.matches(TYPED) ?? false;

/** Keeps the chosen payment method, the input, and the focus; announces changes. */
export function showState(main: HTMLElement, { version, phase, title, html }: State): void {
  const part = document.querySelector("#invoice");
  if (part === null) return;
  const way = part.querySelector<HTMLInputElement>("input[name=way]:checked")?.id;
  const typed = [...part.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TYPED)];
  const focused = part.contains(document.activeElement) ? document.activeElement?.id : undefined;
  const isNew = phase !== main.dataset.phase;
  part.innerHTML = html;
  const chosen = way === undefined ? null : document.getElementById(way);
  if (chosen instanceof HTMLInputElement) chosen.checked = true;
  for (const { id, value } of typed) {
    const again = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(`#${id}`);
    if (again !== null) again.value = value;
  }
  if (focused !== undefined) (document.getElementById(focused) ?? document.getElementById("status"))?.focus();
  // Above the code, to which a customer has scrolled. During typing the page does not scroll.
  if (isNew && !isTyping()) document.getElementById("status")?.scrollIntoView({ block: "nearest" });
  document.title = title;
  main.dataset.version = version;
  main.dataset.phase = phase;
  const aloud = document.querySelector("#announced");
  // As visible: in the chosen unit.
  const [heading = "", ...texts] = [...part.querySelectorAll<HTMLElement>("#status, [data-announced]")].map(
    ({ innerText }) => innerText,
  );
  if (aloud !== null) aloud.textContent = `${heading}. ${texts.join(" ")}`;
}
