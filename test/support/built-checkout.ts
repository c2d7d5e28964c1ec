import path from "node:path";
import { readCheckoutFiles, type CheckoutFiles } from "../../api/checkout/checkout-files";
import { readModalScript, type ModalScript } from "../../api/checkout/modal-script";

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
export async function builtModal(): Promise<ModalScript> {
  await buildPart("modal", MODAL_FOLDER);
  const script = readModalScript(MODAL_FOLDER, "modal.js");
  if (script === null) throw new Error("modal.js was not built");
  return script;
}

/** modal/btcpay.js, likewise. */
export async function builtBtcpayModal(): Promise<ModalScript> {
  await buildPart("btcpay-modal", BTCPAY_FOLDER);
  const script = readModalScript(BTCPAY_FOLDER, "btcpay.js");
  if (script === null) throw new Error("modal/btcpay.js was not built");
  return script;
}
