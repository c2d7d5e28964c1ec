import { onlySet, wordOf } from "../../kit/search-values";

export const SETTINGS_TABS = {
  store: "Store",
  invoices: "Invoices",
  confirmations: "Confirmations",
  rates: "Exchange rate",
  checkout: "Checkout",
  shop: "Your shop",
} as const;

export type SettingsTab = keyof typeof SETTINGS_TABS;

export interface SettingsSearch {
  tab?: SettingsTab;
}

const isTab = (word: string): word is SettingsTab => Object.hasOwn(SETTINGS_TABS, word);
const TABS = Object.keys(SETTINGS_TABS).filter(isTab);

export const readSettingsSearch = (search: Record<string, unknown>): SettingsSearch =>
  onlySet({ tab: wordOf(search["tab"], TABS) });
