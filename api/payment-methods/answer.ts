import { z } from "zod";
import { CHECK_STEPS } from "../../commands/lightning/check-steps";
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

const LIGHTNING = {
  type: "BTC-LN",
  node: "store",
  address: "node.example.com:10009",
  nodeKey: "02eec7245d6b7d2ccb30380bfbe2a3648cd7a942653f5aa340edcea1f283686619",
  network: "mainnet",
  state: "available",
  problem: null,
  receivableSats: 2_500_000,
  certificateExpiresAt: "2027-04-01T09:00:00.000Z",
  createdAt: WALLET.createdAt,
} as const;

export const lightningAnswer = z
  .strictObject({
    type: z.literal("BTC-LN"),
    node: z.enum(["store", "server"]).meta({
      description:
        "Where the payments go: `store`, the LND that its owners connected; `server`, the operator's, who holds the money until it is paid out.",
    }),
    address: z.string().nullable().meta({ description: "Null for the server's node." }),
    nodeKey: z
      .string()
      .nullable()
      .meta({ description: "The node's public key. No other is used under its address." }),
    network: z.string().nullable(),
    state: z.enum(["available", "unavailable", "other-node", "unchecked"]).meta({
      description:
        "`other-node`: another node answers at its address, and is not used until an owner confirms it in the dashboard. `unchecked`: just connected.",
    }),
    problem: z
      .string()
      .nullable()
      .meta({ description: "Why it is not available, or what it does not show." }),
    receivableSats: z.int().nullable().meta({
      description: "What its active channels can receive, in satoshi; null if it does not show that.",
    }),
    certificateExpiresAt: instant().nullable().meta({ description: "Of the certificate that was given." }),
    createdAt: instant(),
  })
  .meta({ id: "StoreLightning", examples: [LIGHTNING] });

export const checkStep = z
  .strictObject({
    step: z.enum(CHECK_STEPS),
    outcome: z.enum(["passed", "warning", "failed"]),
    message: z.string().meta({ description: "What was found and, where it failed, what to do." }),
  })
  .meta({
    id: "LightningCheckStep",
    examples: [{ step: "synced", outcome: "passed", message: "The node is synced with the chain." }],
  });

export const lightningCheck = z.strictObject({ passed: z.boolean(), steps: z.array(checkStep) }).meta({
  id: "LightningCheck",
  examples: [
    {
      passed: false,
      steps: [
        { step: "macaroon", outcome: "failed", message: "The macaroon lacks the right invoices:write." },
      ],
    },
  ],
});

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
