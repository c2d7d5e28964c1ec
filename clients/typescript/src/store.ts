import { path, type Connection, type RequestOptions } from "./connection";
import type { components } from "./generated";
import { everyEntry } from "./pages";

type Schemas = components["schemas"];
export type Store = Schemas["Store"];
export type ApiKey = Schemas["ApiKey"];
export type ApiKeyWithText = Schemas["ApiKeyWithText"];
export type Alert = Schemas["Alert"];
export type ServerInfo = Schemas["ServerInfo"];

/** The store itself: its settings, wallet, keys, rates and alerts. */
export class StoreSettings {
  readonly #connection: Connection;
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get(options?: RequestOptions): Promise<Store> {
    return this.#connection.json("GET", this.#connection.store, options);
  }

  change(changes: Schemas["ChangeStore"], options?: RequestOptions): Promise<Store> {
    return this.#connection.json("PATCH", this.#connection.store, { ...options, body: changes });
  }

  paymentMethods(options?: RequestOptions): Promise<Schemas["StorePaymentMethods"]> {
    return this.#connection.json("GET", `${this.#connection.store}/payment-methods`, options);
  }

  /** The addresses that a wallet would give: compare them with the wallet's own before you set it. */
  previewWallet(
    wallet: Schemas["PreviewWallet"],
    options?: RequestOptions,
  ): Promise<Schemas["WalletPreview"]> {
    return this.#connection.json("POST", `${this.#wallet}/preview`, { ...options, body: wallet });
  }

  /** The store's first one; another only where the dashboard lets API keys change it (`walletChangesByKey`). */
  setWallet(wallet: Schemas["ChangeWallet"], options?: RequestOptions): Promise<Schemas["StoreWallet"]> {
    return this.#connection.json("PUT", this.#wallet, { ...options, body: wallet });
  }

  removeWallet(options?: RequestOptions): Promise<void> {
    return this.#connection.json("DELETE", this.#wallet, options);
  }

  /** Its text is in this answer and never shown again. */
  createApiKey(key: Schemas["CreateApiKey"], options?: RequestOptions): Promise<ApiKeyWithText> {
    return this.#connection.json("POST", `${this.#connection.store}/api-keys`, { ...options, body: key });
  }

  apiKeys(options?: RequestOptions) {
    return everyEntry<ApiKey>((cursor) =>
      this.#connection.json("GET", `${this.#connection.store}/api-keys`, { ...options, query: { cursor } }),
    );
  }

  /** The key that this client sends. */
  currentApiKey(options?: RequestOptions): Promise<ApiKey> {
    return this.#connection.json("GET", `${this.#connection.store}/api-keys/current`, options);
  }

  /** It ends at once, and the keys that were made with it end too. */
  deleteApiKey(keyId: string, options?: RequestOptions): Promise<void> {
    return this.#connection.json("DELETE", `${this.#connection.store}${path`/api-keys/${keyId}`}`, options);
  }

  /** What one bitcoin costs at this store now. */
  rates(currencies: readonly string[], options?: RequestOptions): Promise<Schemas["Rates"]> {
    const query = { currencies: currencies.join(",") };
    return this.#connection.json("GET", `${this.#connection.store}/rates`, { ...options, query });
  }

  alerts(options?: RequestOptions) {
    return everyEntry<Alert>((cursor) =>
      this.#connection.json("GET", `${this.#connection.store}/alerts`, { ...options, query: { cursor } }),
    );
  }

  serverInfo(options?: RequestOptions): Promise<ServerInfo> {
    return this.#connection.json("GET", "/server/info", options);
  }

  get #wallet(): string {
    return `${this.#connection.store}/payment-methods/BTC-CHAIN`;
  }
}
