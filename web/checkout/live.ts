import { makePoll } from "./poll";
import { showState, type State } from "./state";
import { makeStream, type Hint } from "./stream";

/** A browser has six connections to a host, for all of its tabs. */
const HIDDEN_STREAM_MS = 60_000;
/** All pages hear of these at once. */
const WITHIN_MS: Readonly<Record<Hint, number>> = { opened: 0, changed: 0, block: 20_000, missed: 5_000 };

/** A block changes only what counts confirmations. */
const concerns = (hint: Hint): boolean =>
  hint !== "block" || document.querySelector(".confirmations") !== null;

export function keepCurrent(main: HTMLElement, offline: string, changed: (state: State) => void): void {
  if (main.dataset.poll !== "on") return;
  let over = false;
  const stateUrl = main.dataset.state ?? "";

  const poll = makePoll(stateUrl, {
    heard(state) {
      showOffline("");
      over = !state.poll;
      if (over) stream.close();
      if (state.version === main.dataset.version) return;
      showState(main, state);
      changed(state);
    },
    failed(times) {
      stream.lose();
      if (times > 1) showOffline(offline);
    },
  });
  const stream = makeStream(stateUrl.replace(/\/state\?.*/, "/stream"), {
    hint: (hint) => void (concerns(hint) && poll.ask(WITHIN_MS[hint])),
    reliable: (is) => poll.keep(over ? "never" : is ? "rarely" : "often"),
  });

  let hiding: ReturnType<typeof setTimeout> | undefined;
  function look(): void {
    clearTimeout(hiding);
    if (over) return;
    if (document.hidden) hiding = setTimeout(() => stream.close(), HIDDEN_STREAM_MS);
    else stream.open();
  }
  /** The stream may have died in a phone's sleep. */
  function lookAgain(): void {
    look();
    if (!over && !document.hidden) poll.ask();
  }
  document.addEventListener("visibilitychange", lookAgain);
  window.addEventListener("online", lookAgain);
  window.addEventListener("offline", () => {
    stream.lose();
    if (!over) poll.ask();
  });
  poll.keep("often");
  look();
}

function showOffline(text: string): void {
  const note = document.querySelector<HTMLElement>("#offline");
  if (note === null || note.textContent === text) return;
  note.textContent = text;
  note.hidden = text === "";
}
