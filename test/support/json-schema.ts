import fc from "fast-check";

/** As much of JSON Schema as the API's description uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | object;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
}

/** Values that a schema describes, or nearly: only its examples are sure to match a pattern. */
export function valuesOf(schema: Schema, components: Record<string, Schema>): fc.Arbitrary<unknown> {
  const own = generated(schema, components);
  const examples = schema.examples ?? [];
  return examples.length === 0 ? own : fc.oneof(fc.constantFrom(...examples), own);
}

function generated(schema: Schema, components: Record<string, Schema>): fc.Arbitrary<unknown> {
  const { $ref, anyOf, type } = schema;
  if ($ref !== undefined) return valuesOf(components[$ref.split("/").at(-1) ?? ""] ?? {}, components);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => valuesOf(one, components)));
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => generated({ ...schema, type: one }, components)));
  switch (type) {
    case "object":
      return objects(schema, components);
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, components), { maxLength: 4 });
    case "integer":
      return fc.integer({ min: schema.minimum ?? -100, max: Math.min(schema.maximum ?? 1e6, 2 ** 31 - 1) });
    case "number":
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: schema.minimum ?? -1e6,
        max: schema.maximum ?? schema.exclusiveMaximum ?? 1e6,
        maxExcluded: schema.exclusiveMaximum !== undefined,
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      return strings(schema);
    case undefined:
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function strings({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === "date-time")
    return fc
      .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((at) => at.toISOString());
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 40) });
}

function objects(
  { properties = {}, required = [] }: Schema,
  components: Record<string, Schema>,
): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(
    ([name, member]) => [name, valuesOf(member, components)] as const,
  );
  if (members.length === 0)
    return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
  return fc.record(Object.fromEntries(members), { requiredKeys: required });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const named = ({ $ref = "" }: Schema, components: Record<string, Schema>): Schema =>
  components[$ref.split("/").at(-1) ?? ""] ?? {};

/** Whether a schema allows a value. */
export function allows(schema: Schema, value: unknown, components: Record<string, Schema>): boolean {
  const { type, minimum = -Infinity, maximum = Infinity, exclusiveMaximum = Infinity } = schema;
  if (schema.$ref !== undefined) return allows(named(schema, components), value, components);
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.const !== undefined) return schema.const === value;
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => allows(one, value, components));
  if (type === undefined) return true;
  if (Array.isArray(type)) return type.some((one) => allows({ ...schema, type: one }, value, components));
  if (typeof value === "string") return type === "string" && allowsText(schema, value);
  if (typeof value === "number")
    return (
      (type === "number" || (type === "integer" && Number.isSafeInteger(value))) &&
      value >= minimum &&
      value <= maximum &&
      value < exclusiveMaximum
    );
  if (Array.isArray(value)) {
    const { items = {}, minItems = 0, maxItems = Infinity } = schema;
    const fits = value.length >= minItems && value.length <= maxItems;
    return type === "array" && fits && value.every((one) => allows(items, one, components));
  }
  if (isObject(value)) {
    const { properties = {}, required = [], additionalProperties = true } = schema;
    const known = Object.entries(value).every(([name, member]) =>
      properties[name] === undefined
        ? additionalProperties !== false
        : allows(properties[name], member, components),
    );
    return type === "object" && known && required.every((name) => name in value);
  }
  return value === null ? type === "null" : type === typeof value;
}

function allowsText(
  { format, pattern = "", minLength = 0, maxLength = Infinity }: Schema,
  text: string,
): boolean {
  if (format === "date-time" && Number.isNaN(Date.parse(text))) return false;
  return text.length >= minLength && text.length <= maxLength && new RegExp(pattern).test(text);
}

const ODD = [
  null,
  true,
  "true",
  7,
  1.5,
  -1,
  2 ** 53,
  1e300,
  "",
  "x",
  "x".repeat(3_000),
  [],
  ["x"],
  [null],
  {},
];

/** Values that a schema does not allow, each in a valid example, with the JSON pointer at what is wrong. */
export function wrongValuesOf(
  schema: Schema,
  components: Record<string, Schema>,
  example: unknown = (schema.examples ?? [])[0],
): { value: unknown; pointer: string }[] {
  if (schema.$ref !== undefined) return wrongValuesOf(named(schema, components), components);
  const { maximum = NaN, minimum = NaN, exclusiveMaximum = NaN, maxLength = 0, items, properties } = schema;
  const edges = [minimum - 1, maximum + 1, exclusiveMaximum, "x".repeat(maxLength + 1)];
  const many = Array.from({ length: (schema.maxItems ?? 20) + 1 }, () => items?.enum?.[0] ?? "x");
  const own = [...ODD, ...edges.filter((edge) => !Number.isNaN(edge)), many]
    .filter((value) => !allows(schema, value, components))
    .map((value) => ({ value, pointer: "" }));
  const parts = schema.anyOf?.flatMap((one) => wrongValuesOf(one, components)) ?? [];
  const listed = items === undefined ? [] : wrongValuesOf(items, components);
  const whole = isObject(example) ? example : {};
  const members = Object.entries(properties ?? {}).flatMap(([name, member]) =>
    wrongValuesOf(member, components, whole[name]).map(({ value, pointer }) => ({
      value: { ...whole, [name]: value },
      pointer: `/${name}${pointer}`,
    })),
  );
  const unknown = properties === undefined ? [] : [{ value: { ...whole, colour: 1 }, pointer: "/colour" }];
  const without = (schema.required ?? []).map((name) => ({
    value: Object.fromEntries(Object.entries(whole).filter(([one]) => one !== name)),
    pointer: `/${name}`,
  }));
  return [
    ...own,
    ...parts,
    ...listed.map(({ value, pointer }) => ({ value: [value], pointer: `/0${pointer}` })),
    ...members,
    ...unknown,
    ...without,
  ].filter(({ value }) => !allows(schema, value, components));
}
