import { z } from "zod";
import { WALLET_TEXT_MAX } from "../../domain/wallet/account-key";
import { ADDRESS_INDEX_MAX } from "../../domain/wallet/address-index";
import { SCRIPT_TYPES } from "../../domain/wallet/script-type";
import { oneOf, text, wholeNumber } from "../http/schemas/text";

const keyFields = {
  xpub: text(WALLET_TEXT_MAX)
    .meta({
      description:
        "The account's extended public key (xpub, ypub, zpub, tpub, upub, vpub), also with its origin (`[d34db33f/84h/0h/0h]xpub…`), or the content of the file that the wallet exports.",
    })
    .exactOptional(),
  scriptType: oneOf(SCRIPT_TYPES)
    .meta({
      description: "The type of a plain xpub's or tpub's addresses; of a file with several accounts, which.",
    })
    .exactOptional(),
  descriptor: text(1_000).exactOptional(),
  startIndex: wholeNumber(0, ADDRESS_INDEX_MAX)
    .meta({
      description:
        "Index of the first address to give out, at most 10,000 above the highest index given out so far. It can only raise the next index.",
    })
    .exactOptional(),
};

type Fields = z.output<z.ZodObject<typeof keyFields>>;

const oneKey = <T extends z.ZodType<Fields>>(schema: T) =>
  schema
    .refine(({ xpub, descriptor }) => xpub !== undefined || descriptor !== undefined, {
      path: ["xpub"],
      message: "Send xpub or descriptor.",
    })
    .refine(({ xpub, descriptor }) => xpub === undefined || descriptor === undefined, {
      path: ["descriptor"],
      message: "Send xpub or descriptor, not both.",
    })
    .refine(({ scriptType, descriptor }) => scriptType === undefined || descriptor === undefined, {
      path: ["scriptType"],
      message: "Only valid with xpub; a descriptor already includes it.",
    });

const XPUB =
  "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V";

export const changeWalletBody = oneKey(z.strictObject(keyFields)).meta({
  id: "ChangeWallet",
  examples: [{ xpub: XPUB, scriptType: "wpkh" }],
});

/** Enough to compare; each is a computation on the curve. */
const PREVIEWED_MAX = 20;

export const previewWalletBody = oneKey(
  z.strictObject({ ...keyFields, count: wholeNumber(1, PREVIEWED_MAX).default(10) }),
).meta({ id: "PreviewWallet", examples: [{ descriptor: `wpkh(${XPUB})`, count: 2 }] });

/** In the form in which it was given. */
export function accountKeyInput({ xpub, scriptType, descriptor }: Fields) {
  return descriptor === undefined ? { xpub: xpub ?? "", scriptType } : { descriptor };
}

const ACCESS_TEXT_MAX = 20_000;

const nodeFields = {
  lndconnect: text(ACCESS_TEXT_MAX)
    .meta({
      description:
        "`lndconnect://host:port?cert=…&macaroon=…`, as node packages show it; or BTCPay Server's `type=lnd-rest;server=…;macaroon=…`, which also needs `address` and usually `tlsCertificate`.",
    })
    .exactOptional(),
  address: text(300)
    .meta({ description: "Host and port of LND's gRPC.", examples: ["node.example.com:10009"] })
    .exactOptional(),
  tlsCertificate: text(ACCESS_TEXT_MAX)
    .meta({
      description:
        "LND's tls.cert as PEM, hex or base64. Without it the authorities that this server trusts decide: for a node behind a proxy with a public certificate.",
    })
    .exactOptional(),
  macaroon: text(ACCESS_TEXT_MAX)
    .meta({
      description:
        "As hex or base64, with `invoices:read`, `invoices:write` and, to show more about the node, `info:read` and `offchain:read`. One that can spend is refused.",
    })
    .exactOptional(),
};

const NODE = {
  address: "node.example.com:10009",
  macaroon:
    "0201036c6e64024f030a102ce3ea5dc721352b956e94835a7186d01201301a0c0a04696e666f1204726561641a170a08696e766f69636573120472656164120577726974651a100a086f6666636861696e12047265616400000620b78932b19b86f72f0e9cec3d95437ee7fdfa86cf5edfec2c7780e7fcf0eefeb4",
};

export const checkLightningBody = z.strictObject(nodeFields).meta({ id: "CheckLightning", examples: [NODE] });

export const connectLightningBody = z
  .strictObject({ ...nodeFields, node: z.literal("server", "Must be server.").exactOptional() })
  .refine(({ node, ...own }) => node === undefined || Object.keys(own).length === 0, {
    path: ["node"],
    message: "Send node or the access of the store's own node, not both.",
  })
  .meta({ id: "ConnectLightning", examples: [NODE, { node: "server" }] });
