/**
 * The field of a form that shows the error at a path of the request (`amounts.0`, `branding.color`): a field that holds
 * a whole list shows those of its parts. Null where the form has none.
 */
export function fieldOf(values: object, path: string): string | null {
  const name: string[] = [];
  let at: unknown = values;
  for (const key of path.split(".")) {
    if (typeof at !== "object" || at === null) break;
    const inside = (at as Record<string, unknown>)[key];
    if (Array.isArray(at) && typeof inside !== "object") break;
    if (!(key in at)) return null;
    name.push(key);
    at = inside;
  }
  return name.join(".");
}
