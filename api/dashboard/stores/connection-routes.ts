import { connectApplication } from "../../../commands/stores/connect-application";
import { parseConnectionRequest } from "../../../domain/greenfield/connection-request";
import { dashboardRoute } from "../route";
import {
  connectBody,
  connectedAnswer,
  connectionAnswer,
  connectionRequestOf,
  readConnectionBody,
} from "./connection-request";

export const connectionRoutes = [
  dashboardRoute({
    method: "post",
    path: "/connections/read",
    sudo: false,
    body: readConnectionBody,
    answer: connectionAnswer,
    handle({ parts, body }) {
      const { redirect, name, given, notGiven } = parseConnectionRequest(
        connectionRequestOf(body),
        parts.network,
      );
      return Promise.resolve({ name, redirectOrigin: redirect?.origin ?? null, given, notGiven });
    },
  }),
  dashboardRoute({
    method: "post",
    path: "/stores/:storeId/connections",
    role: "owner",
    sudo: true,
    body: connectBody,
    success: 201,
    answer: connectedAnswer,
    async handle({ ctx, user: { userId }, params: { storeId }, body }) {
      const { apiKey, permissions, redirect } = await connectApplication(ctx, {
        ...connectionRequestOf(body),
        storeId,
      });
      return { apiKey, userId, permissions, redirect: redirect?.url ?? null };
    },
  }),
];
