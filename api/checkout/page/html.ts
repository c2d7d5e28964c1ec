/** Markup that is safe as it stands: made by `html` alone. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | null | readonly Value[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function markup(value: Value): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (isList(value)) return value.map(markup).join("");
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/**
 * A template whose values are escaped, whoever they come from; only what `html` itself made is put in as it is. Values
 * in attributes stand in quotes. Null is nothing, a list is its members.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.reduce((done, part, at) => done + markup(values[at - 1] ?? null) + part));
}
