import { archiveStore } from "../../../commands/archive-store";
import { createStore } from "../../../commands/create-store";
import { listInvoiceDeliveries } from "../../../commands/list-deliveries";
import { listStores, type StoreOfUser } from "../../../commands/list-stores";
import { readStoreHome } from "../../../commands/read-store-home";
import { roleInStore } from "../../../commands/store-access";
import { DomainError } from "../../../domain/errors";
import { presentDelivery } from "../../presenters/delivery";
import { presentPage } from "../../presenters/page";
import { presentStore } from "../../presenters/store";
import {
  createStoreBody,
  listStoresQuery,
  storeAccessAnswer,
  storeHomeAnswer,
  storeLinePage,
} from "../../schemas/dashboard/store";
import { deliveryPage } from "../../schemas/delivery-answer";
import { storeAnswer } from "../../schemas/store-answer";
import { emptyBody, noQuery } from "../../schemas/text";
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
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: storeAnswer,
    handle: async ({ ctx, params: { storeId } }) =>
      presentStore(await archiveStore(ctx, storeId, way === "archive")),
  });

export const dashboardStoreRoutes = [
  dashboardRoute({
    method: "get",
    path: "/stores",
    query: listStoresQuery,
    body: null,
    success: 200,
    answer: storeLinePage,
    async handle({ ctx, user, query: { limit, cursor, ...filter } }) {
      return presentPage(await listStores(ctx, user, filter, { limit, cursor }), presentLine);
    },
  }),
  dashboardRoute({
    method: "post",
    path: "/stores",
    query: noQuery,
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
    method: "get",
    path: `${STORE}/role`,
    query: noQuery,
    body: null,
    success: 200,
    answer: storeAccessAnswer,
    async handle({ ctx, user, params: { storeId } }) {
      const access = await roleInStore(ctx, user, storeId);
      if (access === null) throw new DomainError("store-mismatch", "You are not a member of it any more.");
      return access;
    },
  }),
  dashboardRoute({
    method: "get",
    path: `${STORE}/home`,
    query: noQuery,
    body: null,
    success: 200,
    answer: storeHomeAnswer,
    handle: ({ ctx, params: { storeId } }) => readStoreHome(ctx, storeId),
  }),
  dashboardRoute({
    method: "get",
    path: `${STORE}/invoices/:invoiceId/deliveries`,
    query: noQuery,
    body: null,
    success: 200,
    answer: deliveryPage,
    async handle({ ctx, params: { storeId, invoiceId } }) {
      const items = await listInvoiceDeliveries(ctx, storeId, invoiceId);
      return presentPage({ items, nextCursor: null }, presentDelivery);
    },
  }),
];
