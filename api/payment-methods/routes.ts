import { changeWallet, removeWallet } from "../../commands/wallets/change-wallet";
import { listPaymentMethods, showPaymentMethod } from "../../commands/wallets/list-payment-methods";
import { previewWallet } from "../../commands/wallets/preview-wallet";
import { switchLightningOff, switchLightningOn } from "../../commands/lightning/switch-lightning";
import { presentPage } from "../http/present-page";
import { presentPaymentMethod } from "./present";
import { route } from "../http/route";
import { accountKeyInput, changeWalletBody, previewWalletBody } from "./request";
import { storePaymentMethod, storePaymentMethods, walletAnswer, walletPreview } from "./answer";
import { noQuery } from "../http/schemas/text";

const METHODS = "/stores/:storeId/payment-methods";
const ADMIN_ONLY =
  "Lightning payments go to the server's own node, so a server admin switches them for a store; an API key is refused.";

const walletRoutes = [
  route({
    method: "get",
    path: `${METHODS}/BTC-CHAIN`,
    operationId: "readWallet",
    tags: ["Payment methods"],
    summary: "Read where on-chain payments go: the key's fingerprint, not the key",
    query: noQuery,
    body: null,
    success: 200,
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
    summary: "Set the account key that on-chain payments go to from the next invoice on",
    description:
      "Open invoices keep their addresses; one that has none yet (`not-activated`) takes it from the new key. The change is noted in the audit log, and the store's owners are alerted and told by mail. An API key may set a store's first wallet; replacing it or moving `startIndex` needs the store's `walletChangesByKey`, which only the dashboard switches on: else 403 `dashboard-only`. A wallet that another store uses is refused with 409 `wallet-in-use`, unless a server admin or somebody who owns both stores sets it in the dashboard.",
    query: noQuery,
    body: changeWalletBody,
    success: 200,
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
      "Addresses that were given out stay watched. A key that comes back goes on where it stood. An API key needs the store's `walletChangesByKey`: else 403 `dashboard-only`.",
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
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
    summary: "Preview the addresses of a key; nothing is stored",
    query: noQuery,
    body: previewWalletBody,
    success: 200,
    answer: walletPreview,
    errors: [],
    async handle({ ctx, body }) {
      const { startIndex = 0, count } = body;
      return Promise.resolve(previewWallet(ctx, { ...accountKeyInput(body), startIndex, count }));
    },
  }),
];

const lightningRoutes = [
  route({
    method: "get",
    path: `${METHODS}/BTC-LN`,
    operationId: "readLightning",
    tags: ["Payment methods"],
    summary: "Read whether the store takes Lightning payments",
    query: noQuery,
    body: null,
    success: 200,
    answer: storePaymentMethod,
    errors: ["payment-method-not-found"],
    handle: async ({ ctx, params: { storeId } }) =>
      presentPaymentMethod(await showPaymentMethod(ctx, storeId, "BTC-LN")),
  }),
  route({
    method: "put",
    path: `${METHODS}/BTC-LN`,
    operationId: "switchLightningOn",
    admin: true,
    sudo: true,
    tags: ["Payment methods"],
    summary: "Refused for API keys: a server admin switches Lightning on",
    description: ADMIN_ONLY,
    query: noQuery,
    body: null,
    success: 200,
    answer: storePaymentMethod,
    errors: ["admin-only"],
    handle: async ({ ctx, params: { storeId } }) =>
      presentPaymentMethod(await switchLightningOn(ctx, storeId)),
  }),
  route({
    method: "delete",
    path: `${METHODS}/BTC-LN`,
    operationId: "switchLightningOff",
    admin: true,
    sudo: true,
    tags: ["Payment methods"],
    summary: "Refused for API keys: a server admin switches Lightning off",
    description: ADMIN_ONLY,
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    errors: ["admin-only"],
    handle: ({ ctx, params: { storeId } }) => switchLightningOff(ctx, storeId),
  }),
];

export const paymentMethodRoutes = [
  route({
    method: "get",
    path: METHODS,
    operationId: "listPaymentMethods",
    tags: ["Payment methods"],
    summary: "List how the store is paid",
    query: noQuery,
    body: null,
    success: 200,
    answer: storePaymentMethods,
    errors: [],
    async handle({ ctx, params: { storeId } }) {
      const items = await listPaymentMethods(ctx, storeId);
      return presentPage({ items, nextCursor: null }, presentPaymentMethod);
    },
  }),
  ...walletRoutes,
  ...lightningRoutes,
];
