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
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
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
