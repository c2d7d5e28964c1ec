import { z } from "zod";
import { PROBLEMS, type ProblemCode } from "../present-problem";

const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

export const problemAnswer = z
  .strictObject({
    type: z.string().meta({ description: "A URN that ends in the code." }),
    title: z.string().meta({ description: "The kind of problem, in words." }),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "What is wrong and how to fix it, in words." }),
    code: z.enum(CODES).meta({ description: "The kind of problem, for programs. It does not change." }),
    requestId: z
      .string()
      .meta({ description: "The same as in the header X-Request-Id and in the service's log." }),
    errors: z
      .array(
        z.strictObject({
          pointer: z
            .string()
            .meta({ description: "The field or parameter (RFC 6901); empty for the whole request." }),
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: "With 422: the invalid fields, at most 20." }),
  })
  .meta({ id: "Problem", description: "Problem details (RFC 9457)." });
