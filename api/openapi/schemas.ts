import { z } from "zod";

/** A schema of the description: JSON Schema 2020-12, as in OpenAPI 3.1. */
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
  /** By the given name; a schema with an id of its own is a reference. */
  schemas: Record<K, JsonSchema>;
  /** Schemas with an id. */
  components: Record<string, JsonSchema>;
}

/**
 * zod's schemas in the OpenAPI description. Requests are described before defaults and transformations, and closed.
 * Answers are open: fields may be added to them, and a client must not fail on one.
 */
export function jsonSchemas<K extends string>(
  given: Readonly<Record<K, z.ZodType>>,
  side: "request" | "answer",
): SchemaSet<K> {
  const whole = z.toJSONSchema(z.object(given), {
    target: "draft-2020-12",
    io: side === "request" ? "input" : "output",
    override({ zodSchema, jsonSchema }) {
      // zod expects examples of a transformation's output; ours are of its input.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (side === "request" && Array.isArray(examples)) jsonSchema.examples = examples;
      if (side === "answer" && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  const { properties, $defs = {} } = pointed(whole) as JsonSchema;
  return { schemas: properties as Record<K, JsonSchema>, components: $defs };
}

/** The same value, with every reference pointing into the description's components. */
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
