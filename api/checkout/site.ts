import type { AppDependencies } from "../app-dependencies";
import type { Language } from "../../domain/languages/language";
import type { Page } from "./page/document";

export interface Site {
  /** Path of the service on its host, "/" at both ends. */
  base: string;
  assets: Page["assets"];
  banner: (language: Language) => string | null;
}

export function siteOf({ publicUrl, checkout, network }: AppDependencies): Site {
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, "")}/`;
  const under = `${base}checkout/`;
  return {
    base,
    assets:
      checkout === null
        ? null
        : { script: under + checkout.script, styles: under + checkout.styles, icon: `${under}favicon.svg` },
    banner: (language) => (network === "mainnet" ? null : language.text("testNetwork", { network })),
  };
}
