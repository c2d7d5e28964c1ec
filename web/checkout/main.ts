import "./checkout.css";
import { copyOnClick } from "./copy";
import { keepCurrent } from "./live";
import { goBackOnceDone } from "./return";
import { showLocalTimes, startCountdown } from "./time";

// Everything here is an extra: the page is whole without it.

const main = document.querySelector<HTMLElement>("main[data-state]");
document.documentElement.classList.add("scripts");

if (main !== null) {
  const texts = JSON.parse(main.dataset.texts ?? "{}") as Record<string, string>;
  const countdown = startCountdown(texts.timeLeft ?? "{time}");
  copyOnClick(texts);
  showLocalTimes();
  goBackOnceDone(main);
  keepCurrent(main, texts.offline ?? "", ({ secondsLeft }) => {
    countdown.set(secondsLeft);
    showLocalTimes();
    goBackOnceDone(main);
  });
}
