import { chooseMails, readMailChoice } from "../../../commands/mails/choose-mails";
import { dashboardRoute } from "../route";
import { mailsAnswer, mailsBody } from "./mail-request";

const MAILS = "/stores/:storeId/mails";

/** The caller's own, in this store. */
export const mailRoutes = [
  dashboardRoute({
    method: "get",
    path: MAILS,
    answer: mailsAnswer,
    handle: ({ ctx, user: { userId }, params: { storeId } }) => readMailChoice(ctx, { storeId, userId }),
  }),
  dashboardRoute({
    method: "put",
    path: MAILS,
    role: "viewer",
    sudo: false,
    body: mailsBody,
    answer: mailsAnswer,
    handle: ({ ctx, user: { userId }, params: { storeId }, body }) =>
      chooseMails(ctx, { storeId, userId }, body),
  }),
];
