import { z } from "zod";
import { NETWORKS } from "../../domain/network";

const check = z
  .strictObject({
    status: z.enum(["ok", "degraded", "down", "off"]).meta({ description: "`off`: not configured." }),
    reason: z.string().optional(),
  })
  .meta({ id: "HealthCheck", examples: [{ status: "ok" }] });

export const healthAnswer = z
  .strictObject({
    status: z.enum(["ok", "degraded", "down"]),
    version: z.string(),
    network: z.enum(NETWORKS),
    synchronized: z.boolean().meta({ description: "Whether every configured payment method is up to date." }),
    checks: z.strictObject({
      database: check,
      queue: check,
      bitcoin: check,
      lightning: check,
      workers: check,
    }),
  })
  .meta({
    id: "Health",
    examples: [
      {
        status: "degraded",
        version: "0.1.0",
        network: "mainnet",
        synchronized: false,
        checks: {
          database: { status: "ok" },
          queue: { status: "ok" },
          bitcoin: { status: "degraded", reason: "The node is still syncing." },
          lightning: { status: "off" },
          workers: { status: "ok" },
        },
      },
    ],
  });

export const liveAnswer = z
  .strictObject({ status: z.literal("ok") })
  .meta({ id: "Live", examples: [{ status: "ok" }] });
