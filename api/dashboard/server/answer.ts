import { z } from "zod";
import { instant, sats } from "../../http/schemas/answer";
import { healthAnswer } from "../../server/health-answer";
import { serverInfoAnswer } from "../../server/answer";

const count = z.int().min(0);

export const serverStateAnswer = z.strictObject({
  health: healthAnswer,
  processes: z.array(
    z.strictObject({ instanceId: z.string(), worker: z.string(), startedAt: instant(), beatAt: instant() }),
  ),
  leases: z.array(z.strictObject({ name: z.string(), holder: z.string(), expiresAt: instant() })),
  rails: z.array(serverInfoAnswer.shape.rails.element.extend({ receivableSats: sats.nullable() })),
  openDeliveries: z.strictObject({ pending: count, sending: count }),
  queues: z
    .record(
      z.string(),
      z.strictObject({ waiting: count, prioritized: count, delayed: count, active: count, failed: count }),
    )
    .nullable()
    .meta({ description: "Null while the queues are unavailable." }),
});
