import path from "node:path";
import { readCheckoutFiles, type CheckoutFiles } from "../../api/checkout/checkout-files";
import { readFiles, type BuiltFile } from "../../api/http/built-files";

const { buildPart } = require("../../scripts/npm/build-web.cjs") as {
  buildPart: (name: string, out: string) => Promise<void>;
};

const FOLDER = path.join(__dirname, "../../.test/web/checkout");
const MODAL_FOLDER = path.join(__dirname, "../../.test/web/modal");
const BTCPAY_FOLDER = path.join(__dirname, "../../.test/web/btcpay-modal");

/** The checkout's styles and script as `npm run build` makes them; made again only when their source has changed. */
export async function builtCheckout(): Promise<CheckoutFiles> {
  await buildPart("checkout", FOLDER);
  const files = readCheckoutFiles(FOLDER);
  if (files === null) throw new Error("the checkout was not built");
  return files;
}

/** modal.js, likewise. */
export async function builtModal(): Promise<BuiltFile> {
  await buildPart("modal", MODAL_FOLDER);
  const script = readFiles(MODAL_FOLDER).get("modal.js");
  if (script === undefined) throw new Error("modal.js was not built");
  return script;
}

/** modal/btcpay.js, likewise. */
export async function builtBtcpayModal(): Promise<BuiltFile> {
  await buildPart("btcpay-modal", BTCPAY_FOLDER);
  const script = readFiles(BTCPAY_FOLDER).get("btcpay.js");
  if (script === undefined) throw new Error("modal/btcpay.js was not built");
  return script;
}
