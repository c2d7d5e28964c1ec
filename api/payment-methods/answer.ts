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
  .meta({ description: "The type of the wallet's addresses.", examples: ["wpkh"] });

export const walletAnswer = z
  .strictObject({
    type: z.literal("BTC-CHAIN"),
    scriptType,
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .nullable()
      .meta({
        description:
          "The fingerprint of the account key (BIP 32), which itself is not shown; most wallets show the master key's, which is another. Null while the wallet is not `available`.",
      }),
    available: z.boolean().meta({ description: "Whether new invoices get addresses of this wallet." }),
    reason: z.literal("not-authentic").optional().meta({
      description:
        "Why it is not available: the wallet in the database is not the one that was set here. Set it again, and find out who changed the database.",
    }),
    nextIndex: z
      .int()
      .min(0)
      .meta({ description: "The index of the next address. Stores with the same wallet share it." }),
    highestPaidIndex: z.int().min(0).nullable().meta({
      description: "The index of the last address that was paid; null if none of the last 10,000 was.",
    }),
    unpaidInARow: z.int().min(0).meta({
      description:
        "How many addresses come after it, up to the last that was given out (without a paid one, from the first): none was paid, and skipped ones count. Your own wallet scans 20 addresses ahead by default (its gap limit): if this number is higher, raise the gap limit, or your wallet may not show payments to the latest addresses.",
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
    fingerprint: z.string().meta({ description: "The fingerprint of the account key (BIP 32)." }),
    origin: z.string().nullable().meta({
      description:
        "The master key's fingerprint, which wallets show, and the account's path; null if the text did not contain them.",
    }),
    addresses: z.array(
      z.strictObject({
        index: z.int().min(0),
        path: z.string().meta({ description: "The path below the account key.", examples: ["0/0"] }),
        address: z.string(),
      }),
    ),
  })
  .meta({
    id: "WalletPreview",
    examples: [
      {
        scriptType: "wpkh",
        fingerprint: "fd13aac9",
        origin: "73c5da0a/84h/0h/0h",
        addresses: [{ index: 0, path: "0/0", address: "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" }],
      },
    ],
  });
