import { changeStore } from "../../commands/stores/change-store";
import { readStore } from "../../database/rows";
import { RELEASE_SETTINGS } from "../../domain/release-settings";
import { changesOf } from "./changes";
import { presentStore } from "./present";
import { route } from "../http/route";
import { changeStoreBody } from "./request";
import { storeAnswer } from "./answer";

export const storeRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId",
    operationId: "readStore",
    access: ["read"],
    tags: ["Stores"],
    summary: "Read the store's settings",
    answer: storeAnswer,
    handle: async ({ ctx, params: { storeId } }) => presentStore(await readStore(ctx, storeId)),
  }),
  route({
    method: "patch",
    path: "/stores/:storeId",
    operationId: "changeStore",
    role: "owner",
    sudo: RELEASE_SETTINGS,
    tags: ["Stores"],
    summary: "Change the store's settings",
    description:
      "Fields that are left out keep their values; `null` clears a value. Changes apply to invoices created from now on.",
    body: changeStoreBody,
    answer: storeAnswer,
    handle: async ({ ctx, params: { storeId }, body }) =>
      presentStore(await changeStore(ctx, storeId, changesOf(body))),
  }),
];
