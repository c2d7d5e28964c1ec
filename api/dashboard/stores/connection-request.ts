import { z } from "zod";
import { text } from "../../http/schemas/text";

const asked = {
  permissions: z.array(text(300), "Must be a list.").max(50, "Must name at most 50 permissions."),
  applicationName: text(1_000).exactOptional(),
  redirects: z
    .array(text(2_000), "Must be a list.")
    .max(1, "Must be one: the link names more than one address to send the key to.")
    .meta({ description: "Every `redirect` of the link." }),
};

type Asked = z.output<z.ZodObject<typeof asked>>;

export function connectionRequestOf<B extends Asked>({ redirects: [redirect], ...body }: B) {
  return { ...body, ...(redirect === undefined ? {} : { redirect }) };
}

export const readConnectionBody = z.strictObject(asked);

export const connectBody = z.strictObject({
  ...asked,
  mayFrameCheckout: z.boolean("Must be true or false."),
});

export const connectionAnswer = z.strictObject({
  name: z.string().meta({ description: "What the application calls itself." }),
  redirectOrigin: z.string().nullable().meta({ description: "Null where the key is shown instead." }),
  given: z.array(z.string()),
  notGiven: z.array(z.string()).meta({ description: "Asked for, and not available here." }),
});

export const connectedAnswer = z.strictObject({
  apiKey: z.string().meta({ description: "In this response only, and without underscores." }),
  userId: z.string(),
  permissions: z.array(z.string()).meta({ description: "Each with the id of the store." }),
  redirect: z.string().nullable(),
});
