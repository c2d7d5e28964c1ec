/** Safe markup: made only by `html`. */
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
 * Escapes every value but results of `html`. Values in attributes must be quoted. Null becomes nothing, a list its
 * members.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.reduce((done, part, at) => done + markup(values[at - 1] ?? null) + part));
}
