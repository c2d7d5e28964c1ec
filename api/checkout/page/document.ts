import { textOn } from "./brand";
import { html, type Html } from "../../http/html";
import { LANGUAGES, type Language } from "../../../domain/languages/language";

export interface Page {
  title: string;
  language: Language;
  assets: { script: string | null; styles: string; icon: string } | null;
  /** Without scripts; null for never. */
  refreshSeconds: number | null;
  nonce: string;
  store: {
    name: string;
    logoUrl: string | null;
    brandColor: string | null;
    framedBy: readonly string[];
  } | null;
  banner: string | null;
  body: Html;
}

const DEFAULT_COLOR = "#1f5fbf";

export function documentOf(page: Page): string {
  const { language, assets, refreshSeconds, store } = page;
  const script = assets?.script ?? null;
  const color = store?.brandColor ?? DEFAULT_COLOR;
  const refresh =
    refreshSeconds === null
      ? null
      : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`;
  const made = html`<html lang="${language.tag}" dir="${language.direction}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex, nofollow" />
      <meta name="format-detection" content="telephone=no" />
      <title>${page.title}</title>
      ${refresh} ${assets === null ? null : stylesAndIcon(assets)}
      <style nonce="${page.nonce}">
        :root {
          --brand: ${color};
          --on-brand: ${textOn(color)};
        }
      </style>
      ${script === null ? null : html`<script type="module" src="${script}"></script>`}
    </head>
    <body>
      ${head(page)} ${page.body}
      <footer>${languageMenu(language)}</footer>
    </body>
  </html>`;
  return `<!doctype html>\n${made.text}`;
}

/** Each language is named in itself. */
const languageMenu = (shown: Language): Html =>
  html`<details class="languages">
    <summary>
      ${GLOBE} <span class="unseen">${shown.text("languages")}:</span> <span>${shown.name}</span>
    </summary>
    <nav aria-label="${shown.text("languages")}">
      <ul>
        ${LANGUAGES.map((language) => languageLink(language, shown))}
      </ul>
    </nav>
  </details>`;

const GLOBE = html`<svg class="globe" viewBox="0 0 24 24" aria-hidden="true">
  <circle cx="12" cy="12" r="10" />
  <ellipse cx="12" cy="12" rx="4.5" ry="10" />
  <path d="M2.5 9h19M2.5 15h19" />
</svg>`;

const languageLink = ({ code, name, tag }: (typeof LANGUAGES)[number], shown: Language): Html =>
  html`<li>
    <a
      href="?lang=${code}"
      lang="${tag}"
      hreflang="${tag}"
      ${code === shown.code ? html`aria-current="true"` : null}
      >${name}</a
    >
  </li>`;

const stylesAndIcon = ({ styles, icon }: NonNullable<Page["assets"]>): Html =>
  html`<link rel="stylesheet" href="${styles}" /><link rel="icon" type="image/svg+xml" href="${icon}" />`;

function head({ banner, store }: Page): Html | null {
  if (banner === null && store === null) return null;
  return html`<header>
    ${banner === null ? null : html`<p class="banner">${banner}</p>`}
    ${store === null ? null : storeSign(store)}
  </header>`;
}

const storeSign = ({ name, logoUrl }: { name: string; logoUrl: string | null }): Html =>
  html`<p class="store">
    ${
      logoUrl === null
        ? null
        : html`<img src="${logoUrl}" alt="" referrerpolicy="no-referrer" width="48" height="48" />`
    }
    <bdi>${name}</bdi>
  </p>`;
