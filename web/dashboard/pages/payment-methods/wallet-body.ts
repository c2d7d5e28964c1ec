/** A single field takes both forms of a key. */
export interface WalletValues {
  key: string;
  scriptType: string;
  startIndex: number | string;
  askedOf: string;
}

export interface WalletBody {
  xpub?: string;
  scriptType?: string;
  descriptor?: string;
  startIndex?: number;
}

const isDescriptor = (key: string): boolean => /^\W*[a-z]+\(/.test(key);

/** ypub, zpub, an origin and descriptors say what kind of addresses they give. */
const leavesScriptOpen = (key: string): boolean => /^[\s"']*[xt]pub\w+[\s\w"']*$/.test(key);

export const asksScriptType = ({ key, askedOf }: WalletValues): boolean =>
  leavesScriptOpen(key) || (askedOf !== "" && key === askedOf);

export function walletBody(values: WalletValues): WalletBody {
  const { scriptType, startIndex } = values;
  const key = values.key.trim();
  return {
    ...(isDescriptor(key) ? { descriptor: key } : { xpub: key }),
    ...(asksScriptType(values) ? { scriptType } : {}),
    ...(startIndex === "" ? {} : { startIndex: Number(startIndex) }),
  };
}
