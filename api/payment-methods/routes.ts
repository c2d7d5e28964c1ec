import { changeWallet, removeWallet } from "../../commands/wallets/change-wallet";
import { listPaymentMethods, showPaymentMethod } from "../../commands/wallets/list-payment-methods";
import { previewWallet } from "../../commands/wallets/preview-wallet";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { lightningRoutes } from "./lightning-routes";
import { presentPaymentMethod } from "./present";
import { accountKeyInput, changeWalletBody, previewWalletBody } from "./request";
import { storePaymentMethods, walletAnswer, walletPreview } from "./answer";

const METHODS = "/stores/:storeId/payment-methods";

export const paymentMethodRoutes = [
  route({
    method: "get",
    path: METHODS,
    operationId: "listPaymentMethods",
    access: ["read"],
    tags: ["Payment methods"],
    summary: "List the store's payment methods",
    answer: storePaymentMethods,
    async handle({ ctx, params: { storeId } }) {
      const items = await listPaymentMethods(ctx, storeId);
      return presentPage({ items, nextCursor: null }, presentPaymentMethod);
    },
  }),
  route({
    method: "get",
    path: `${METHODS}/BTC-CHAIN`,
    operationId: "readWallet",
    access: ["read"],
    tags: ["Payment methods"],
    summary: "Read the store's wallet; the key itself is not shown, only its fingerprint",
    answer: walletAnswer,
    errors: ["payment-method-not-found"],
    handle: async ({ ctx, params: { storeId } }) =>
      presentPaymentMethod(await showPaymentMethod(ctx, storeId, "BTC-CHAIN")),
  }),
  route({
    method: "put",
    path: `${METHODS}/BTC-CHAIN`,
    operationId: "changeWallet",
    role: "owner",
    sudo: true,
    tags: ["Payment methods"],
    summary: "Set the store's wallet, from the next invoice on",
    description:
      "Open invoices keep their addresses; an invoice that has none yet (`not-activated`) takes it from the new wallet. The change is recorded in the audit log, and the store's owners receive an alert and a mail. An API key may set a store's first wallet. Replacing it or changing `startIndex` requires `walletChangesByKey`, which can only be enabled in the dashboard; otherwise the response is 403 `dashboard-only`. A wallet that another store uses is refused with 409 `wallet-in-use`, unless a server admin or an owner of both stores sets it in the dashboard.",
    body: changeWalletBody,
    answer: walletAnswer,
    errors: ["dashboard-only", "wallet-in-use"],
    async handle({ ctx, params: { storeId }, body }) {
      const { startIndex } = body;
      return presentPaymentMethod(await changeWallet(ctx, storeId, { ...accountKeyInput(body), startIndex }));
    },
  }),
  route({
    method: "delete",
    path: `${METHODS}/BTC-CHAIN`,
    operationId: "removeWallet",
    role: "owner",
    sudo: true,
    tags: ["Payment methods"],
    summary: "Stop on-chain payments for new invoices",
    description:
      "Addresses that were given out are still watched. If the wallet is set again later, it continues at its next index. An API key requires the store's `walletChangesByKey`; otherwise the response is 403 `dashboard-only`.",
    errors: ["dashboard-only", "payment-method-not-found"],
    handle: ({ ctx, params: { storeId } }) => removeWallet(ctx, storeId),
  }),
  route({
    method: "post",
    path: `${METHODS}/BTC-CHAIN/preview`,
    operationId: "previewWallet",
    role: "owner",
    sudo: false,
    tags: ["Payment methods"],
    summary: "Preview a wallet's first addresses; nothing is stored",
    description: "One at a time for a store; it counts as 50 requests.",
    points: 50,
    body: previewWalletBody,
    answer: walletPreview,
    async handle({ ctx, body, bulk }) {
      const { startIndex = 0, count } = body;
      return bulk(() => previewWallet(ctx, { ...accountKeyInput(body), startIndex, count }));
    },
  }),
  ...lightningRoutes,
];
