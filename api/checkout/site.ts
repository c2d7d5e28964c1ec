import type { Network } from "../../domain/network";
import type { CheckoutFiles } from "./checkout-files";
import type { Language } from "../../domain/languages/language";

export type Site = ReturnType<typeof siteOf>;

export interface SiteParts {
  publicUrl: string;
  network: Network;
  /** Null: not built; the pages have none. */
  checkout: CheckoutFiles | null;
}

export function siteOf({ publicUrl, checkout, network }: SiteParts) {
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, "")}/`;
  const under = `${base}checkout/`;
  return {
    /** Path of the service on its host, "/" at both ends. */
    base,
    assets:
      checkout === null
        ? null
        : { script: under + checkout.script, styles: under + checkout.styles, icon: `${under}favicon.svg` },
    banner: (language: Language) =>
      network === "mainnet" ? null : language.text("testNetwork", { network }),
  };
}
