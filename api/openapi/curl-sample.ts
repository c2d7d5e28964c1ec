import { pathParameters } from "../http/operation-errors";
import type { JsonSchema } from "./schemas";
import type { Operation, Route } from "../http/route";

/** `storeId` is `$STORE_ID`. */
const variable = (name: string): string => `$${name.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** With the variables of the reference's other samples. */
export function curlSample(route: Route | Operation, query: JsonSchema): string {
  const { method, path, body } = route;
  const at = pathParameters(path).reduce((text, name) => text.replace(`:${name}`, variable(name)), path);
  const lines = [
    `curl -sS${method === "get" ? "" : ` -X ${method.toUpperCase()}`} "$BASE_URL/api/v1${at}${requiredQuery(query)}"`,
    ...("handle" in route ? [`-H "x-api-key: $API_KEY"`] : []),
    ...("idempotent" in route && route.idempotent ? [`-H "Idempotency-Key: order-A-1001"`] : []),
    ...(body === null
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(exampleOf(body)))}`]),
  ];
  return lines.join(" \\\n  ");
}

function requiredQuery({ properties = {}, required = [] }: JsonSchema): string {
  const pairs = required.map((name) => `${name}=${String(properties[name]?.examples?.[0])}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function exampleOf(body: NonNullable<Route["body"]>): unknown {
  const { examples } = body.meta() ?? {};
  return (Array.isArray(examples) ? (examples as unknown[])[0] : undefined) ?? {};
}
