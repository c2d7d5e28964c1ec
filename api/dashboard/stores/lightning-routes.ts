import { connectNode, reconnectNode } from "../../../commands/lightning/connect-node";
import type { CheckStep } from "../../../commands/lightning/check-node";
import { readFormerNodes, stopWaiting } from "../../../commands/lightning/retire-node";
import { reading } from "../../../commands/transaction";
import type { Log } from "../../../commands/ports";
import { DomainError } from "../../../domain/errors";
import { EventStream } from "../../live/event-stream";
import { checkLightningBody } from "../../payment-methods/request";
import { dashboardRoute } from "../route";
import { formerNodes, reconnectLightningBody } from "./request";

const FORMER = "/stores/:storeId/lightning/former";
const shape = { method: "post", role: "owner", sudo: true, success: 200, points: 50 } as const;

/** The same as the API's, and each step is sent when it has ended: a person watches. */
export const lightningRoutes = [
  dashboardRoute({
    ...shape,
    path: "/stores/:storeId/lightning/connect",
    body: checkLightningBody,
    handle: ({ ctx, params: { storeId }, body, bulk }) =>
      watched(ctx.log, (onStep) => bulk(() => connectNode(ctx, storeId, body, { onStep }))),
  }),
  dashboardRoute({
    ...shape,
    path: "/stores/:storeId/lightning/reconnect",
    body: reconnectLightningBody,
    handle: ({ ctx, params: { storeId }, body, bulk }) =>
      watched(ctx.log, (onStep) => bulk(() => reconnectNode(ctx, storeId, body, onStep))),
  }),
  dashboardRoute({
    method: "get",
    path: FORMER,
    role: "owner",
    answer: formerNodes,
    handle: async ({ ctx, params: { storeId } }) => ({ data: await readFormerNodes(reading(ctx), storeId) }),
  }),
  dashboardRoute({
    method: "delete",
    path: FORMER,
    role: "owner",
    sudo: true,
    handle: async ({ ctx, params: { storeId } }) => {
      await stopWaiting(ctx, storeId);
    },
  }),
];

/** Rejects for what is refused before the first step. */
function watched(
  log: Log,
  connect: (onStep: (step: CheckStep) => void) => Promise<unknown>,
): Promise<EventStream> {
  const stream = new EventStream();
  return new Promise((resolve, reject) => {
    let began = false;
    const onStep = (step: CheckStep): void => {
      began = true;
      stream.send("step", step);
      resolve(stream);
    };
    const failed = (error: unknown): void => {
      if (!began) return reject(error instanceof Error ? error : new Error(String(error)));
      if (!(error instanceof DomainError)) log.error({ err: error }, "lightning: node not connected");
      const detail = error instanceof DomainError ? error.message : "Something went wrong. Try again.";
      stream.send("failed", { detail });
    };
    void connect(onStep)
      .then(() => stream.send("connected", {}), failed)
      .finally(() => stream.end());
  });
}
