import { z } from "zod";
import { PROBLEMS, type ProblemCode } from "../present-problem";

/** `Object.keys` forgets that the table has every code. */
const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

export const problemAnswer = z
  .strictObject({
    type: z.string().meta({ description: "A URN that ends in the code." }),
    title: z.string().meta({ description: "What kind of problem it is, for people." }),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "What is wrong and how to fix it, for people." }),
    code: z
      .enum(CODES)
      .meta({ description: "What kind of problem it is, for programs. It does not change." }),
    requestId: z.string().meta({ description: "Also in the header X-Request-Id and in the log." }),
    errors: z
      .array(
        z.strictObject({
          pointer: z
            .string()
            .meta({ description: "Which field or parameter (RFC 6901); empty for the whole." }),
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: "Of 422: every field that is wrong." }),
  })
  .meta({ id: "Problem", description: "Problem details (RFC 9457)." });
