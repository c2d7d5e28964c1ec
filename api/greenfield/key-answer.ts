import { z } from "zod";

export const keyAnswer = z.strictObject({
  apiKey: z.string(),
  label: z.string(),
  permissions: z.array(z.string().regex(/^btcpay\.store\.[a-z.]+:[1-9A-HJ-NP-Za-km-z]{44}$/)),
});
