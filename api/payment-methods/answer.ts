import { z } from "zod";
import { SCRIPT_TYPES } from "../../domain/wallet/script-type";
import { instant } from "../http/schemas/answer";

const WALLET = {
  type: "BTC-CHAIN",
  scriptType: "wpkh",
  fingerprint: "7ef32bdb",
  available: true,
  nextIndex: 12,
  highestPaidIndex: 8,
  unpaidInARow: 3,
  createdAt: "2026-02-01T09:00:00.000Z",
} as const;

const scriptType = z
  .enum(SCRIPT_TYPES)
  .meta({ description: "What kind of addresses the key gives.", examples: ["wpkh"] });

export const walletAnswer = z
  .strictObject({
    type: z.literal("BTC-CHAIN"),
    scriptType,
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .nullable()
      .meta({
        description: "Of the account key (BIP 32). The key itself is not shown. Null while not `available`.",
      }),
    available: z.boolean().meta({ description: "Whether new invoices get addresses of it." }),
    reason: z.literal("not-authentic").optional().meta({
      description:
        "Why it is not available: the wallet in the database is not the one that was set here. Set it again, and find out who writes to the database.",
    }),
    nextIndex: z
      .int()
      .min(0)
      .meta({ description: "Of the next address. Stores with the same key share it." }),
    highestPaidIndex: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: "Of the last address that was paid; null where none of the last 10,000 was." }),
    unpaidInARow: z.int().min(0).meta({
      description:
        "Addresses that were given out after it and not paid. A wallet that is restored looks 20 ahead by default (its gap limit): where this is more, raise that, or it may not show a payment to the last ones.",
    }),
    createdAt: instant(),
  })
  .meta({ id: "StoreWallet", examples: [WALLET] });

const lightningAnswer = z
  .strictObject({ type: z.literal("BTC-LN"), createdAt: instant() })
  .meta({ id: "StoreLightning", examples: [{ type: "BTC-LN", createdAt: WALLET.createdAt }] });

export const storePaymentMethod = z
  .discriminatedUnion("type", [walletAnswer, lightningAnswer])
  .meta({ id: "StorePaymentMethod", examples: [WALLET] });

export const storePaymentMethods = z
  .strictObject({ data: z.array(storePaymentMethod), nextCursor: z.null() })
  .meta({ id: "StorePaymentMethods", examples: [{ data: [WALLET], nextCursor: null }] });

export const walletPreview = z
  .strictObject({
    scriptType,
    addresses: z.array(
      z.strictObject({
        index: z.int().min(0),
        path: z.string().meta({ description: "From the account key.", examples: ["0/0"] }),
        address: z.string(),
      }),
    ),
  })
  .meta({
    id: "WalletPreview",
    examples: [
      {
        scriptType: "wpkh",
        addresses: [{ index: 0, path: "0/0", address: "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" }],
      },
    ],
  });
