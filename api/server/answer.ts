import { z } from "zod";
import { PAYMENT_METHODS } from "../../domain/invoice/status";
import { NETWORKS } from "../../domain/network";

const count = (description: string) => z.int().min(0).nullable().meta({ description });

const BITCOIN = {
  type: "BTC-CHAIN",
  synchronized: true,
  nodeHeight: 939_000,
  height: 939_000,
  lagBlocks: 0,
  lagSeconds: 3,
  problem: null,
} as const;

export const serverInfoAnswer = z
  .strictObject({
    version: z.string(),
    network: z.enum(NETWORKS),
    explorerTxUrl: z.string().nullable().meta({
      description: "The operator's block explorer: with a transaction's id after it, its page. Null: none.",
    }),
    paymentMethods: z.array(z.enum(PAYMENT_METHODS)).meta({
      description: "The payment methods of this server. A store offers those that are set up for it.",
    }),
    rails: z.array(
      z
        .strictObject({
          type: z.enum(PAYMENT_METHODS),
          synchronized: z.boolean().meta({ description: "Whether the node has the whole chain." }),
          nodeHeight: count("The node's last block."),
          height: count("The last block that was scanned for payments."),
          lagBlocks: count("Blocks that are still to be scanned."),
          lagSeconds: count("Age of the last complete check of the node."),
          problem: z.string().nullable().meta({ description: "What is wrong, in words." }),
        })
        .meta({ id: "ServerRail", examples: [BITCOIN] }),
    ),
  })
  .meta({
    id: "ServerInfo",
    examples: [
      {
        version: "1.0.0",
        network: "mainnet",
        explorerTxUrl: null,
        paymentMethods: ["BTC-CHAIN"],
        rails: [BITCOIN],
      },
    ],
  });
