import bs58check from "bs58check";
import { invalidField } from "../errors";
import type { Network } from "../network";
import { bip32 } from "./curve";
import { networkParams } from "./network-params";
import { looksPrivate } from "./private-key";
import type { ScriptType } from "./script-type";

type Family = "mainnet" | "test";
interface Version {
  name: string;
  family: Family;
  /** SLIP 132; absent on a plain xpub or tpub. */
  scriptType?: ScriptType;
  use?: "multisig" | "private";
}

export const multisigMessage = (what: string): string =>
  `${what} belongs to a multi-signature wallet, which is not supported. Use the account key of a single-signature wallet.`;

/** BIP 32 and SLIP 132, as hex. */
const VERSIONS: Readonly<Record<string, Version>> = {
  "0488b21e": { name: "xpub", family: "mainnet" },
  "049d7cb2": { name: "ypub", family: "mainnet", scriptType: "sh-wpkh" },
  "04b24746": { name: "zpub", family: "mainnet", scriptType: "wpkh" },
  "0295b43f": { name: "Ypub", family: "mainnet", use: "multisig" },
  "02aa7ed3": { name: "Zpub", family: "mainnet", use: "multisig" },
  "043587cf": { name: "tpub", family: "test" },
  "044a5262": { name: "upub", family: "test", scriptType: "sh-wpkh" },
  "045f1cf6": { name: "vpub", family: "test", scriptType: "wpkh" },
  "024289ef": { name: "Upub", family: "test", use: "multisig" },
  "02575483": { name: "Vpub", family: "test", use: "multisig" },
  "0488ade4": { name: "xprv", family: "mainnet", use: "private" },
  "049d7878": { name: "yprv", family: "mainnet", use: "private" },
  "04b2430c": { name: "zprv", family: "mainnet", use: "private" },
  "0295b005": { name: "Yprv", family: "mainnet", use: "private" },
  "02aa7a99": { name: "Zprv", family: "mainnet", use: "private" },
  "04358394": { name: "tprv", family: "test", use: "private" },
  "044a4e28": { name: "uprv", family: "test", use: "private" },
  "045f18bc": { name: "vprv", family: "test", use: "private" },
  "024285b5": { name: "Uprv", family: "test", use: "private" },
  "02575048": { name: "Vprv", family: "test", use: "private" },
};

export const PRIVATE_KEY_MESSAGE =
  "This is a private key or a seed. It was not stored; never give it to anyone. Send the account's PUBLIC key (xpub, zpub, …) or a descriptor of it.";

export const TYPING_ERROR =
  "This extended public key is incomplete or has a typing error. Copy it again from the wallet.";

export type ExtendedKey = ReturnType<typeof parseExtendedKey>;

/** Without repeating what can spend. */
export function refusePrivate(text: string, pointer: string): void {
  if (looksPrivate(text)) throw invalidField(pointer, PRIVATE_KEY_MESSAGE);
}

/** BIP 32, SLIP 132. @throws DomainError `validation-failed` at `pointer`; its text never holds the key. */
export function parseExtendedKey(text: string, network: Network, pointer: string) {
  refusePrivate(text, pointer);
  const bytes = bs58check.decodeUnsafe(text);
  if (bytes?.length !== 78) throw invalidField(pointer, TYPING_ERROR);
  const payload = Buffer.from(bytes);
  const version = VERSIONS[payload.toString("hex", 0, 4)];
  // The key's first byte marks a private key whatever the version bytes claim.
  if (version?.use === "private" || payload[45] === 0) throw invalidField(pointer, PRIVATE_KEY_MESSAGE);
  checkVersion(version, network, pointer);

  payload.writeUInt32BE(networkParams(network).bip32.public, 0);
  const xpub = bs58check.encode(payload);
  try {
    const node = bip32.fromBase58(xpub, networkParams(network));
    return {
      xpub,
      /** Hex of chain code (32 bytes) and compressed public key (33 bytes). */
      accountKey: payload.toString("hex", 13),
      /** BIP 32: first four bytes of HASH160, hex. */
      fingerprint: Buffer.from(node.fingerprint).toString("hex"),
      depth: node.depth,
      scriptType: version.scriptType,
    };
  } catch {
    throw invalidField(pointer, "This extended public key is damaged: it contains no valid public key.");
  }
}

function checkVersion(
  version: Version | undefined,
  network: Network,
  pointer: string,
): asserts version is Version {
  if (version === undefined) {
    throw invalidField(
      pointer,
      `This extended public key has an unknown prefix. For ${network} use one of ${namesFor(network)}.`,
    );
  }
  if (version.use === "multisig") {
    throw invalidField(pointer, multisigMessage(`A ${version.name}`));
  }
  const family: Family = network === "mainnet" ? "mainnet" : "test";
  if (version.family !== family) {
    const theirs = version.family === "mainnet" ? "mainnet" : "a test network (testnet4, signet or regtest)";
    throw invalidField(
      pointer,
      `This ${version.name} is a key for ${theirs}, but this installation runs on ${network}. Use one of ${namesFor(network)}.`,
    );
  }
}

function namesFor(network: Network): string {
  return network === "mainnet" ? "xpub, ypub, zpub" : "tpub, upub, vpub";
}
