import { makePoll } from "./poll";
import { showState, type State } from "./state";
import { makeStream } from "./stream";

/** A browser has six connections to a host, for all of its tabs. */
const HIDDEN_STREAM_MS = 60_000;

export function keepCurrent(main: HTMLElement, offline: string, changed: (state: State) => void): void {
  if (main.dataset.poll !== "on") return;
  let over = false;
  const stateUrl = main.dataset.state ?? "";
  const streamUrl = (): string =>
    `${stateUrl.replace("/state?", "/stream?")}&version=${main.dataset.version ?? ""}`;

  function heard(state: State): void {
    showOffline("");
    over = !state.poll;
    if (over) stream.close();
    if (state.version === main.dataset.version) return;
    showState(main, state);
    changed(state);
  }
  const poll = makePoll(stateUrl, {
    heard,
    failed(times) {
      stream.lose();
      if (times > 1) showOffline(offline);
    },
  });
  const stream = makeStream(streamUrl, {
    heard,
    reliable(is) {
      if (is) showOffline("");
      if (is || over) poll.stop();
      else poll.start();
    },
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
  poll.start();
  look();
}

function showOffline(text: string): void {
  const note = document.querySelector<HTMLElement>("#offline");
  if (note === null || note.textContent === text) return;
  note.textContent = text;
  note.hidden = text === "";
}
