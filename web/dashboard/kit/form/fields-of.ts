/**
 * The fields of a form that may show the error at a path of the request (`amounts.0`, `branding.color`): of a list
 * either its parts or the whole. Empty where the form has none.
 */
export function fieldsOf(values: object, path: string): string[] {
  const name: string[] = [];
  let at: unknown = values;
  for (const key of path.split(".")) {
    if (typeof at !== "object" || at === null) break;
    const inside = (at as Record<string, unknown>)[key];
    if (Array.isArray(at) && typeof inside !== "object") return [name.join("."), [...name, key].join(".")];
    if (!(key in at)) return [];
    name.push(key);
    at = inside;
  }
  return [name.join(".")];
}
