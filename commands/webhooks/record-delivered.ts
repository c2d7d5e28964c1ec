import { batch } from "../../database/batch";
import { inTime } from "../../database/in-time";
import { perDatabase } from "../../database/per-database";
import type { WebhookAnswer } from "../ports";
import { recordAllDelivered } from "./attempt-queries";
import type { ClaimedAttempt } from "./claim-attempt";

export interface DeliveredAttempt {
  attempt: ClaimedAttempt;
  answer: WebhookAnswer;
}

const keyOf = (deliveryId: string, number: number): string => `${deliveryId} ${number}`;

/**
 * Records attempts that were delivered to proven endpoints: nothing else changes by that, so simultaneous ones
 * share a statement and its flush to disk (docs/adr/0060). Returns whether other deliveries of the endpoint wait;
 * null when nothing was written, for example for an endpoint without a success yet.
 */
export const recordDelivered = perDatabase((db) =>
  batch<DeliveredAttempt, boolean | null>(
    async (delivered) => {
      const { rows } = await inTime(
        recordAllDelivered(
          db.manager,
          delivered.map(({ attempt }) => attempt.deliveryId),
          delivered.map(({ attempt }) => attempt.number),
          delivered.map(({ answer }) => answer.httpStatus),
          delivered.map(({ answer }) => answer.durationMs),
          delivered.map(({ answer }) => answer.responseBody),
          delivered.map(({ answer }) => answer.resolvedIp),
        ),
      );
      const waits = new Map(rows.map((row) => [keyOf(row.deliveryId, row.number), row.othersWait]));
      return delivered.map(({ attempt }) => waits.get(keyOf(attempt.deliveryId, attempt.number)) ?? null);
    },
    { runsAtOnce: 2 },
  ),
);
