import { z } from "zod";
import { text, time } from "../http/schemas/text";

export const createApiKeyBody = z
  .strictObject({
    name: text(100),
    expiresAt: time.transform((instant) => new Date(instant)).exactOptional(),
  })
  .meta({ id: "CreateApiKey", examples: [{ name: "Web shop" }] });
