/** What the form holds: one field takes both forms of a key. */
export interface WalletValues {
  key: string;
  scriptType: string;
  startIndex: number | string;
}

/** As the API takes it, in preview and when it is kept. */
export interface WalletBody {
  xpub?: string;
  scriptType?: string;
  descriptor?: string;
  startIndex?: number;
}

const isDescriptor = (key: string): boolean => key.includes("(");

/** Whether a key leaves open what kind of addresses it gives: ypub, zpub and descriptors say it. */
export const leavesScriptOpen = (key: string): boolean => /^[xt]pub/.test(key.trim());

export function walletBody({ key: typed, scriptType, startIndex }: WalletValues): WalletBody {
  const key = typed.trim();
  return {
    ...(isDescriptor(key) ? { descriptor: key } : { xpub: key }),
    ...(leavesScriptOpen(key) ? { scriptType } : {}),
    ...(startIndex === "" ? {} : { startIndex: Number(startIndex) }),
  };
}
