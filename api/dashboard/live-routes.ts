import { dashboardRoute } from "./route";

const stream = { method: "get", success: 200 } as const;

export const liveRoutes = [
  dashboardRoute({
    ...stream,
    path: "/stores/:storeId/stream",
    handle: ({ live, user: { sessionId }, params: { storeId }, allowed, gone }) =>
      live.open({ sessionId, storeId, allowed, gone }),
  }),
  dashboardRoute({
    ...stream,
    path: "/admin/stream",
    admin: true,
    handle: ({ live, user: { sessionId }, allowed, gone }) =>
      live.open({ sessionId, storeId: null, allowed, gone }),
  }),
];
