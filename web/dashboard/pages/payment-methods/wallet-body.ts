/** What the form holds: one field takes both forms of a key. */
export interface WalletValues {
  key: string;
  scriptType: string;
  startIndex: number | string;
  /** The key of which the API asked which of its accounts is meant. */
  askedOf: string;
}

/** As the API takes it, in preview and when it is kept. */
export interface WalletBody {
  xpub?: string;
  scriptType?: string;
  descriptor?: string;
  startIndex?: number;
}

const isDescriptor = (key: string): boolean => /^\W*[a-z]+\(/.test(key);

/** Whether a key leaves open what kind of addresses it gives: ypub, zpub, an origin and descriptors say it. */
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
