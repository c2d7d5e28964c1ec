/** What `/i/{invoiceId}/state` answers (api/checkout/router.ts). */
interface State {
  version: string;
  phase: string;
  poll: boolean;
  secondsLeft: number | null;
  title: string;
  told: string;
  html: string;
}

const POLL_MS = 2_500;
const SLOWEST_POLL_MS = 30_000;
/** A page that nobody looks at asks less often. */
const HIDDEN_POLL_MS = 15_000;

/** Asks for the state while it can change, and puts a new one in the old one's place. */
export function keepCurrent(main: HTMLElement, offline: string, changed: (state: State) => void): void {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = false;
  let over = main.dataset.poll !== "on";

  async function ask(): Promise<void> {
    if (asking || over) return;
    asking = true;
    clearTimeout(timer);
    try {
      // The browser asks whether its copy is still true (ETag), so that nothing new is next to nothing sent.
      const answer = await fetch(main.dataset.state ?? "", { cache: "no-cache" });
      if (!answer.ok) throw new Error(String(answer.status));
      const state = (await answer.json()) as State;
      failures = 0;
      over = !state.poll;
      if (state.version !== main.dataset.version) {
        show(main, state);
        changed(state);
      }
    } catch {
      failures += 1;
    }
    asking = false;
    tellOffline(failures > 1 ? offline : "");
    if (!over) timer = setTimeout(() => void ask(), pause());
  }

  const pause = (): number => {
    const usual = document.hidden ? HIDDEN_POLL_MS : POLL_MS;
    return Math.min(Math.max(SLOWEST_POLL_MS, usual), usual * 2 ** failures);
  };

  // Back from the wallet's app: now is when one wants to know.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void ask();
  });
  window.addEventListener("online", () => void ask());
  if (!over) timer = setTimeout(() => void ask(), POLL_MS);
}

function tellOffline(text: string): void {
  const note = document.querySelector<HTMLElement>("#offline");
  if (note === null || note.textContent === text) return;
  note.textContent = text;
  note.hidden = text === "";
}

/** Keeps the chosen way to pay and the focus, and says aloud what is new. */
function show(main: HTMLElement, { version, phase, title, told, html }: State): void {
  const part = document.querySelector("#invoice");
  if (part === null) return;
  const way = part.querySelector<HTMLInputElement>("input[name=way]:checked")?.id;
  const focused = part.contains(document.activeElement) ? document.activeElement?.id : undefined;
  part.innerHTML = html;
  const chosen = way === undefined ? null : document.getElementById(way);
  if (chosen instanceof HTMLInputElement) chosen.checked = true;
  if (focused !== undefined) (document.getElementById(focused) ?? document.getElementById("status"))?.focus();
  document.title = title;
  main.dataset.version = version;
  main.dataset.phase = phase;
  const aloud = document.querySelector("#told");
  if (aloud !== null) aloud.textContent = told;
}
