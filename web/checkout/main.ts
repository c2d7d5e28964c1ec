import "./checkout.css";
import "./link.css";
import "./test-mode.css";
import { copyOnClick } from "./copy";
import { keepCurrent } from "./live";
import { goBackOnceDone } from "./return";
import { typeByKeypad } from "./keypad";
import { meetShop } from "./shop";
import { showLocalTimes, startCountdown } from "./time";

// The page is whole without any of it.

const main = document.querySelector<HTMLElement>("main[data-state]");
document.documentElement.classList.add("scripts");

const texts = JSON.parse(main?.dataset.texts ?? "{}") as Record<string, string>;
copyOnClick(texts);
const keypad = document.querySelector<HTMLElement>(".keypad");
if (keypad !== null) typeByKeypad(keypad);

if (main !== null) {
  const countdown = startCountdown(texts.timeLeft ?? "{time}");
  const shop = meetShop(main);
  const leave = (): ((url: string) => void) | null =>
    shop === null ? (url) => location.assign(url) : shop.leave();
  showLocalTimes();
  goBackOnceDone(main, leave);
  keepCurrent(main, texts.offline ?? "", ({ secondsLeft }) => {
    countdown.set(secondsLeft);
    showLocalTimes();
    goBackOnceDone(main, leave);
  });
}

const testMode = document.querySelector<HTMLFormElement>("form.test-mode");
if (testMode !== null) void import("./test-mode").then(({ pressInPlace }) => pressInPlace(testMode));
