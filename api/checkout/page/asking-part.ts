import { html, type Html } from "../../http/html";
import type { Language } from "../../../domain/languages/language";
import type { TextKey } from "../../../domain/languages/texts/en";

interface Field {
  /** Also the beginning of the ids in the part. */
  id: string;
  name: string;
  /** Text keys. */
  label: TextKey;
  hint: TextKey;
  leave: TextKey;
}

interface Asking {
  field: Field;
  title: string;
  /** Why it was refused. */
  reason: string | null;
  typed: string;
  asked: boolean;
  /** Above the form. */
  text: Html | null;
  control: (attributes: Html, typed: string) => Html;
  scripted?: boolean;
}

/** Something that a customer can leave on the page. */
export function askingPart(
  language: Language,
  { field, title, reason, typed, asked, text, control, scripted = false }: Asking,
): Html {
  const alone = reason !== null && !asked;
  const { id } = field;
  return html`<section
    class="asking help ${scripted ? "scripted" : ""}"
    id="${id}"
    aria-labelledby="${id}-title"
    tabindex="-1"
    ${alone ? html`autofocus` : null}
  >
    <h2 id="${id}-title">${title}</h2>
    ${alone ? html`<p class="wrong">${reason}</p>` : null} ${text}
    ${asked ? form(language, field, { reason, control: (attributes) => control(attributes, typed) }) : null}
  </section>`;
}

/** Without an action the form is posted to its own page, in that page's language. */
function form(
  language: Language,
  { id, name, label, hint, leave }: Field,
  { reason, control }: { reason: string | null; control: (attributes: Html) => Html },
): Html {
  const wrong = reason !== null;
  const attributes = html`id="${id}-field" name="${name}" dir="ltr" autocapitalize="none" spellcheck="false"
  aria-describedby="${wrong ? `${id}-wrong ` : ""}${id}-hint"
  ${wrong ? html`aria-invalid="true" autofocus` : null}`;
  return html`<form method="post" novalidate>
    <label for="${id}-field">${language.text(label)}</label>
    ${control(attributes)} ${wrong ? html`<p class="wrong" id="${id}-wrong">${reason}</p>` : null}
    <p class="note" id="${id}-hint">${language.text(hint)}</p>
    <button type="submit" class="button" id="${id}-leave">${language.text(leave)}</button>
  </form>`;
}
