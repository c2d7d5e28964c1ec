import { z } from "zod";

/** OpenAPI's specification describes it better. */
export const descriptionAnswer = z
  .looseObject({ openapi: z.string().regex(/^3\.1\.\d+$/), info: z.looseObject({ version: z.string() }) })
  .meta({ id: "Description" });
