import { listPaymentLinks, readPaymentLink } from "../../commands/payment-links/read-payment-link";
import {
  archivePaymentLink,
  changePaymentLink,
  createPaymentLink,
  deletePaymentLink,
} from "../../commands/payment-links/write-payment-link";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { pageQuery } from "../http/schemas/page";
import { emptyBody } from "../http/schemas/text";
import { paymentLinkAnswer, paymentLinkPage } from "./answer";
import { presentPaymentLink } from "./present";
import { changePaymentLinkBody, createPaymentLinkBody } from "./request";

const LINKS = "/stores/:storeId/payment-links";

const archiving = (way: "archive" | "unarchive", summary: string) =>
  route({
    method: "post",
    path: `${LINKS}/:linkId/${way}`,
    operationId: `${way}PaymentLink`,
    sudo: false,
    tags: ["Payment links"],
    summary,
    body: emptyBody,
    answer: paymentLinkAnswer,
    async handle({ ctx, params: { storeId, linkId } }) {
      return presentPaymentLink(ctx, await archivePaymentLink(ctx, storeId, linkId, way === "archive"));
    },
  });

export const paymentLinkRoutes = [
  route({
    method: "post",
    path: LINKS,
    operationId: "createPaymentLink",
    sudo: false,
    tags: ["Payment links"],
    summary: "Create a payment link",
    body: createPaymentLinkBody,
    success: 201,
    answer: paymentLinkAnswer,
    errors: ["limit-reached"],
    async handle({ ctx, params: { storeId }, body }) {
      return presentPaymentLink(ctx, await createPaymentLink(ctx, storeId, body));
    },
  }),
  route({
    method: "get",
    path: LINKS,
    operationId: "listPaymentLinks",
    access: ["read"],
    tags: ["Payment links"],
    summary: "List payment links, newest first",
    query: pageQuery,
    answer: paymentLinkPage,
    async handle({ ctx, params: { storeId }, query }) {
      return presentPage(await listPaymentLinks(ctx, storeId, query), (view) =>
        presentPaymentLink(ctx, view),
      );
    },
  }),
  route({
    method: "get",
    path: `${LINKS}/:linkId`,
    operationId: "readPaymentLink",
    access: ["read"],
    tags: ["Payment links"],
    summary: "Read a payment link",
    answer: paymentLinkAnswer,
    async handle({ ctx, params: { storeId, linkId } }) {
      return presentPaymentLink(ctx, await readPaymentLink(ctx, storeId, linkId));
    },
  }),
  route({
    method: "patch",
    path: `${LINKS}/:linkId`,
    operationId: "changePaymentLink",
    sudo: false,
    tags: ["Payment links"],
    summary: "Change a payment link",
    description:
      "For invoices that are created from now on. Fields that are left out keep their values. To change from fixed amounts to the customer's own, send `amounts: null` with both bounds; the other way, both bounds as `null` with `amounts`.",
    body: changePaymentLinkBody,
    answer: paymentLinkAnswer,
    async handle({ ctx, params: { storeId, linkId }, body }) {
      return presentPaymentLink(ctx, await changePaymentLink(ctx, storeId, linkId, body));
    },
  }),
  archiving("archive", "Archive a payment link: its page takes no payments"),
  archiving("unarchive", "Restore an archived payment link"),
  route({
    method: "delete",
    path: `${LINKS}/:linkId`,
    operationId: "deletePaymentLink",
    sudo: false,
    tags: ["Payment links"],
    summary: "Delete a payment link; its invoices stay",
    handle: ({ ctx, params: { storeId, linkId } }) => deletePaymentLink(ctx, storeId, linkId),
  }),
];
