import styles from "./modal.css?inline";
import type { Words } from "./texts";

export interface Shown {
  dialog: HTMLDialogElement;
  frame: HTMLIFrameElement;
  remove(): void;
}

/** Browsers of 2023 and later have all. */
export const canShow = (): boolean =>
  typeof HTMLDialogElement === "function" && "adoptedStyleSheets" in Document.prototype;

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** Elements and a constructed style sheet only: no inline style, no parsed markup (Trusted Types). */
export function showDialog(url: string, words: Words): Shown {
  const { title, language: lang, direction: dir } = words;
  const frame = element("iframe", {
    title,
    src: url,
    allow: "clipboard-write",
    referrerpolicy: "no-referrer",
  });
  const sign = element("span", { "aria-hidden": "true" }, "×");
  const close = element("button", { type: "button", "aria-label": words.close, title: words.close }, sign);
  const loading = element("p", { role: "status" }, words.loading);
  const waiting = element("div", {}, loading, element("a", { href: url }, words.open));
  const dialog = element("dialog", { "aria-label": title, lang, dir }, close, waiting, frame);
  close.addEventListener("click", () => dialog.close());

  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  root.append(dialog);

  const { style } = document.documentElement;
  const { overflow } = style;
  document.body.append(host);
  dialog.showModal();
  style.overflow = "hidden";
  return {
    dialog,
    frame,
    remove() {
      host.remove();
      style.overflow = overflow;
    },
  };
}
