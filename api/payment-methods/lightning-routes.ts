import {
  checkAccess,
  connectNode,
  removeLightning,
  useServerNode,
} from "../../commands/lightning/connect-node";
import { showPaymentMethod } from "../../commands/wallets/list-payment-methods";
import { route } from "../http/route";
import { lightningAnswer, lightningCheck } from "./answer";
import { presentPaymentMethod } from "./present";
import { checkLightningBody, connectLightningBody } from "./request";

const LIGHTNING = "/stores/:storeId/payment-methods/BTC-LN";
const CHECKED =
  "Its access is checked as `POST …/BTC-LN/check` does, and a failed step is a 422 that says why and what to do. What the server can never do with it is spend: a macaroon with other rights is refused from its own bytes, before anything is sent.";

export const lightningRoutes = [
  route({
    method: "get",
    path: LIGHTNING,
    operationId: "readLightning",
    access: ["read"],
    tags: ["Payment methods"],
    summary: "Read which Lightning node the store's payments go to",
    description: "Its certificate and its macaroon are never shown.",
    answer: lightningAnswer,
    errors: ["payment-method-not-found"],
    handle: async ({ ctx, params: { storeId } }) =>
      presentPaymentMethod(await showPaymentMethod(ctx, storeId, "BTC-LN")),
  }),
  route({
    method: "put",
    path: LIGHTNING,
    operationId: "connectLightning",
    role: "owner",
    sudo: true,
    tags: ["Payment methods"],
    summary: "Connect the store's own LND, or use the server's node",
    description: `From the next invoice on. ${CHECKED} The same node with another certificate, macaroon or address stays the same; another one replaces it, and what is paid to the former meanwhile counts. The change is recorded in the audit log, and the store's owners receive an alert and a mail. An API key may connect a store's first node; replacing it requires \`walletChangesByKey\` (403 \`dashboard-only\`). \`{"node": "server"}\` is for server admins, not API keys: the operator holds what is paid there. One request at a time for a store; it counts as 50.`,
    points: 50,
    body: connectLightningBody,
    answer: lightningAnswer,
    errors: ["admin-only", "dashboard-only", "limit-reached", "wallet-in-use"],
    handle: ({ ctx, params: { storeId }, body: { node, ...given }, bulk }) =>
      bulk(async () =>
        presentPaymentMethod(
          node === "server" ? await useServerNode(ctx, storeId) : await connectNode(ctx, storeId, given),
        ),
      ),
  }),
  route({
    method: "delete",
    path: LIGHTNING,
    operationId: "removeLightning",
    role: "owner",
    sudo: true,
    tags: ["Payment methods"],
    summary: "Stop Lightning payments for new invoices",
    description:
      "BOLT11s that are open at the store's own node are canceled there; while it is away they may still be paid, and count. Those of the server's node can be paid until they expire. An API key requires the store's `walletChangesByKey` (403 `dashboard-only`). Where the store uses the server's node, only a server admin can do it.",
    errors: ["admin-only", "dashboard-only", "payment-method-not-found"],
    handle: ({ ctx, params: { storeId } }) => removeLightning(ctx, storeId),
  }),
  route({
    method: "post",
    path: `${LIGHTNING}/check`,
    operationId: "checkLightning",
    role: "owner",
    sudo: true,
    tags: ["Payment methods"],
    summary: "Check the access to an LND step by step; nothing is stored",
    description:
      "Without fields: of the node that is connected. The last step that is shown has failed unless all passed. It makes and cancels a BOLT11 of one satoshi. One at a time for a store; it counts as 50 requests.",
    points: 50,
    body: checkLightningBody,
    answer: lightningCheck,
    errors: ["admin-only", "payment-method-not-found"],
    handle: ({ ctx, params: { storeId }, body, bulk }) =>
      bulk(async () => {
        const steps = await checkAccess(ctx, storeId, Object.keys(body).length === 0 ? null : body);
        return { passed: steps.every(({ outcome }) => outcome !== "failed"), steps };
      }),
  }),
];
