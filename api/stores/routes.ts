import { changeStore, readStore } from "../../commands/stores/change-store";
import { RELEASE_SETTINGS } from "../../domain/release-settings";
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
    async handle({ ctx, params: { storeId }, body: { branding = {}, ...changes } }) {
      const { logoUrl, color } = branding;
      const store = await changeStore(ctx, storeId, {
        ...changes,
        ...(logoUrl === undefined ? {} : { logoUrl }),
        ...(color === undefined ? {} : { brandColor: color }),
      });
      return presentStore(store);
    },
  }),
];
