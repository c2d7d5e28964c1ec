import path from "node:path";
import { readCheckoutFiles, type CheckoutFiles } from "../../api/checkout/checkout-files";

const { buildPart } = require("../../scripts/npm/build-web.cjs") as {
  buildPart: (name: string, out: string) => Promise<void>;
};

const FOLDER = path.join(__dirname, "../../.test/web/checkout");

/** The checkout's styles and script as `npm run build` makes them; made again only when their source has changed. */
export async function builtCheckout(): Promise<CheckoutFiles> {
  await buildPart("checkout", FOLDER);
  const files = readCheckoutFiles(FOLDER);
  if (files === null) throw new Error("the checkout was not built");
  return files;
}
