import type { Schema } from "../support/json-schema";
import { send } from "./server";

// The API's description as a client reads it.

export interface DescribedOperation {
  method: string;
  path: string;
  operationId: string;
  parameters: { name: string; in: "path" | "query" | "header"; required?: boolean; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, unknown>;
  "x-codeSamples": [{ lang: string; label: string; source: string }];
}

export interface Description {
  operations: DescribedOperation[];
  /** By name. */
  schemas: Record<string, Schema>;
  /** Examples of the responses that all operations share, by the response and by the code. */
  problems: Record<string, Record<string, object>>;
}

export async function readDescription(base: string): Promise<Description> {
  const { json } = await send(base, "GET", "/openapi.json");
  const { paths, components } = json as unknown as {
    paths: Record<string, Record<string, Omit<DescribedOperation, "method" | "path">>>;
    components: {
      schemas: Record<string, Schema>;
      responses: Record<
        string,
        { content: { "application/problem+json": { examples: Record<string, object> } } }
      >;
    };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, rest]) => ({ ...rest, method: method.toUpperCase(), path })),
  );
  const problems = Object.fromEntries(
    Object.entries(components.responses).map(([name, { content }]) => [
      name,
      content["application/problem+json"].examples,
    ]),
  );
  return { operations, schemas: components.schemas, problems };
}

/** The schema itself where there is a reference. */
export const resolved = (schema: Schema, schemas: Record<string, Schema>): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
