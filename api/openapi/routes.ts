import { z } from "zod";
import { RawJson } from "../http/json";
import { route, type Route } from "../http/route";

const descriptionAnswer = z
  .looseObject({ openapi: z.string().regex(/^3\.1\.\d+$/), info: z.looseObject({ version: z.string() }) })
  .meta({ id: "Description" });

export const descriptionRoute = (describe: (version: string) => string): Route =>
  route({
    method: "get",
    path: "/openapi.json",
    operationId: "readDescription",
    access: ["create-and-read-invoices", "read"],
    keyOnly: true,
    tags: ["Server"],
    summary: "Read this description (OpenAPI 3.1); /openapi.json serves it without a key",
    answer: descriptionAnswer,
    large: true,
    handle: ({ ctx }) => Promise.resolve(new RawJson(describe(ctx.settings.version))),
  });
