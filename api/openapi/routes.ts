import { RawJson } from "../http/json";
import { route, type Route } from "../http/route";
import { descriptionAnswer } from "./answer";
import { noQuery } from "../http/schemas/text";

/** The API's description for callers with a key. */
export const descriptionRoute = (describe: (version: string) => string): Route =>
  route({
    method: "get",
    path: "/openapi.json",
    operationId: "readDescription",
    keyOnly: true,
    tags: ["Server"],
    summary: "Read this description (OpenAPI 3.1); /openapi.json serves it without a key",
    query: noQuery,
    body: null,
    success: 200,
    answer: descriptionAnswer,
    errors: [],
    handle: ({ ctx, large }) =>
      large.read(() => Promise.resolve(new RawJson(describe(ctx.settings.version)))),
  });
