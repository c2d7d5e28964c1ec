/** A clock that runs all the time only hurries. */
const SHOWN_SECONDS = 300;
const TICK_MS = 1_000;

export interface Countdown {
  /** Null: no more polls. */
  set(secondsLeft: number | null): void;
}

/** By the server's clock. */
export function startCountdown(text: string): Countdown {
  const place = document.querySelector<HTMLElement>("#time-left");
  let endsAt: number | null = null;

  function set(secondsLeft: number | null): void {
    endsAt = secondsLeft === null ? null : performance.now() + secondsLeft * 1_000;
    tick();
  }

  function tick(): void {
    if (place === null) return;
    const left = endsAt === null ? 0 : Math.max(0, Math.ceil((endsAt - performance.now()) / 1_000));
    place.hidden = left === 0 || left > SHOWN_SECONDS;
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    place.textContent = text.replace("{time}", clock);
  }

  const given = place?.dataset.seconds;
  set(given === undefined ? null : Number(given));
  setInterval(tick, TICK_MS);
  return { set };
}

/** By the reader's own clock. */
export function showLocalTimes(): void {
  const { lang } = document.documentElement;
  const format = new Intl.DateTimeFormat(`${lang}-u-nu-latn`, { dateStyle: "medium", timeStyle: "short" });
  for (const place of document.querySelectorAll("time"))
    place.textContent = format.format(new Date(place.dateTime));
}
