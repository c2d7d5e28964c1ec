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
