import { z } from "zod";

/** JSON Schema 2020-12, as in OpenAPI 3.1. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: unknown;
  examples?: unknown[];
  $defs?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
}

export interface SchemaSet<K extends string> {
  /** By name; a schema with an id is a reference. */
  schemas: Record<K, JsonSchema>;
  components: Record<string, JsonSchema>;
}

/**
 * Requests are described before transformations, and closed. Answers are open: a client must not fail on an added
 * field.
 */
export function jsonSchemas<K extends string>(
  given: Readonly<Record<K, z.ZodType>>,
  side: "request" | "answer",
): SchemaSet<K> {
  const whole = z.toJSONSchema(z.object(given), {
    target: "draft-2020-12",
    io: side === "request" ? "input" : "output",
    override({ zodSchema, jsonSchema }) {
      // zod expects examples of the output; ours are of the input.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (side === "request" && Array.isArray(examples)) jsonSchema.examples = examples;
      if (side === "answer" && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  const { properties, $defs = {} } = pointed(whole) as JsonSchema;
  return { schemas: properties as Record<K, JsonSchema>, components: $defs };
}

function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "$ref" && typeof member === "string"
        ? member.replace("#/$defs/", "#/components/schemas/")
        : pointed(member),
    ]),
  );
}
