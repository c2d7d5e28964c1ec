import { z } from "zod";

/** The specification of OpenAPI describes it better. */
export const descriptionAnswer = z
  .looseObject({ openapi: z.string().regex(/^3\.1\.\d+$/), info: z.looseObject({ version: z.string() }) })
  .meta({ id: "Description" });
