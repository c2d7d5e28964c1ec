import { z } from "zod";
import { archiveStore } from "../../../commands/stores/archive-store";
import { allowWalletChangesByKey } from "../../../commands/wallets/change-wallet";
import { readStore } from "../../../database/rows";
import { readMethodsOfStore } from "../../../commands/installation/read-server-info";
import { countOpenReviews } from "../../../commands/reviews/list-reviews";
import { createStore } from "../../../commands/stores/create-store";
import { listInvoiceDeliveries } from "../../../commands/webhooks/list-deliveries";
import { listStores, type StoreOfUser } from "../../../commands/stores/list-stores";
import { readStoreHome } from "../../../commands/stores/read-store-home";
import { placeOfDelivery, roleInStore, storeOfInvoice } from "../../../commands/stores/store-access";
import { DomainError } from "../../../domain/errors";
import { previewDocument } from "../../checkout/preview";
import { presentDelivery } from "../../webhooks/present-delivery";
import { presentPage } from "../../http/present-page";
import { changesOf } from "../../stores/changes";
import { presentStore } from "../../stores/present";
import { shownUrl } from "../../webhooks/present";
import {
  checkoutPreviewAnswer,
  checkoutPreviewBody,
  createStoreBody,
  listStoresQuery,
  storeAccessAnswer,
  storeHomeAnswer,
  storeLinePage,
  placeOfDeliveryAnswer,
  storeOfInvoiceAnswer,
  walletChangesByKeyBody,
} from "./request";
import { deliveryPage } from "../../webhooks/delivery-answer";
import { storeAnswer } from "../../stores/answer";
import { emptyBody } from "../../http/schemas/text";
import { dashboardRoute } from "../route";

function presentLine({ store: { id, name, archivedAt, createdAt }, role, member }: StoreOfUser) {
  return { storeId: id, name, role, member, archived: archivedAt !== null, createdAt };
}

const STORE = "/stores/:storeId";

const archiving = (way: "archive" | "unarchive") =>
  dashboardRoute({
    method: "post",
    path: `${STORE}/${way}`,
    role: "owner",
    sudo: false,
    body: emptyBody,
    answer: storeAnswer,
    handle: async ({ ctx, params: { storeId } }) =>
      presentStore(await archiveStore(ctx, storeId, way === "archive")),
  });

export const dashboardStoreRoutes = [
  dashboardRoute({
    method: "get",
    path: "/stores",
    query: listStoresQuery,
    answer: storeLinePage,
    async handle({ ctx, user, query: { limit, cursor, ...filter } }) {
      return presentPage(await listStores(ctx, user, filter, { limit, cursor }), presentLine);
    },
  }),
  dashboardRoute({
    method: "post",
    path: "/stores",
    sudo: false,
    body: createStoreBody,
    success: 201,
    answer: storeAnswer,
    async handle({ ctx, body }) {
      return presentStore(await createStore(ctx, body));
    },
  }),
  archiving("archive"),
  archiving("unarchive"),
  dashboardRoute({
    method: "put",
    path: `${STORE}/wallet-changes-by-key`,
    role: "owner",
    sudo: true,
    body: walletChangesByKeyBody,
    answer: storeAnswer,
    handle: async ({ ctx, params: { storeId }, body: { allowed } }) =>
      presentStore(await allowWalletChangesByKey(ctx, storeId, allowed)),
  }),
  dashboardRoute({
    method: "post",
    path: `${STORE}/checkout-preview`,
    role: "viewer",
    sudo: false,
    body: checkoutPreviewBody,
    answer: checkoutPreviewAnswer,
    async handle({ ctx, parts, params: { storeId }, body: { phase, nonce, ...changes } }) {
      const store = { ...(await readStore(ctx, storeId)), ...changesOf(changes) };
      const now = await ctx.now(ctx.db.manager);
      return { document: previewDocument(parts, store, { phase, nonce, now }) };
    },
  }),
  dashboardRoute({
    method: "get",
    path: `${STORE}/role`,
    answer: storeAccessAnswer,
    async handle({ ctx, user, params: { storeId } }) {
      const access = await roleInStore(ctx, user, storeId);
      if (access === null)
        throw new DomainError("store-mismatch", "You are no longer a member of this store.");
      return access;
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/invoices/:invoiceId",
    answer: storeOfInvoiceAnswer,
    handle: async ({ ctx, user, params: { invoiceId } }) => ({
      storeId: await storeOfInvoice(ctx, user, invoiceId),
      invoiceId,
    }),
  }),
  dashboardRoute({
    method: "get",
    path: "/deliveries/:deliveryId",
    answer: placeOfDeliveryAnswer,
    async handle({ ctx, user, params: { deliveryId } }) {
      const { storeId, webhookId } = await placeOfDelivery(ctx, user, deliveryId);
      return { storeId, webhookId };
    },
  }),
  dashboardRoute({
    method: "get",
    path: `${STORE}/home`,
    answer: storeHomeAnswer,
    handle: async ({ ctx, role, params: { storeId } }) => {
      const home = await readStoreHome(ctx, storeId);
      const rails = await readMethodsOfStore(ctx, storeId);
      const webhooks = home.webhooks.map((webhook) => ({ ...webhook, url: shownUrl(webhook.url, role) }));
      return { ...home, rails, webhooks };
    },
  }),
  dashboardRoute({
    method: "get",
    path: `${STORE}/reviews/count`,
    answer: z.strictObject({ open: storeHomeAnswer.shape.openReviews }),
    handle: async ({ ctx, params: { storeId } }) => ({ open: await countOpenReviews(ctx, storeId) }),
  }),
  dashboardRoute({
    method: "get",
    path: `${STORE}/invoices/:invoiceId/deliveries`,
    answer: deliveryPage,
    async handle({ ctx, params: { storeId, invoiceId } }) {
      const items = await listInvoiceDeliveries(ctx, storeId, invoiceId);
      return presentPage({ items, nextCursor: null }, presentDelivery);
    },
  }),
];
