import { RawJson } from "../presenters/json";
import { route, type Route } from "../route";
import { descriptionAnswer } from "../schemas/description";
import { noQuery } from "../schemas/text";

/** The API's description for those with a key. */
export const descriptionRoute = (describe: (version: string) => string): Route =>
  route({
    method: "get",
    path: "/openapi.json",
    operationId: "readDescription",
    keyOnly: true,
    tags: ["Server"],
    summary: "Read this description (OpenAPI 3.1); it is at /openapi.json without a key as well",
    query: noQuery,
    body: null,
    success: 200,
    answer: descriptionAnswer,
    errors: [],
    handle: ({ ctx }) => Promise.resolve(new RawJson(describe(ctx.settings.version))),
  });
