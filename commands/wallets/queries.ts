import { statement } from "../../database/statement";
import { ADDRESS_INDEX_MAX } from "../../domain/wallet/address-index";
import type { ScriptType } from "../../domain/wallet/script-type";
import type { PaymentMethodType } from "../../domain/invoice/status";
import type { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { whereLive } from "../../entities/payment";
import type { Store } from "../../entities/store";
import type { DestinationRow } from "./destination-macs";

/** Returns the first, or no row if there are fewer. Holds the wallet's row until the transaction ends. */
export const takeIndexes = statement<[walletId: string, count: number], { first: number }>(
  "wallets.take-indexes",
  `UPDATE wallets SET next_index = next_index + $2::int
    WHERE id = $1 AND next_index <= ${ADDRESS_INDEX_MAX} - $2::int RETURNING next_index - $2::int AS first`,
);

/** Beyond all allocated from this wallet, and all allocated or skipped in the script's. */
export const moveBehindGivenOut = statement<[walletId: string, scriptPubKey: Buffer]>(
  "wallets.move-behind-given-out",
  `UPDATE wallets
      SET next_index = greatest(next_index, least(${ADDRESS_INDEX_MAX}, greatest(
            (SELECT 1 + max(address_index)::bigint FROM watched_scripts WHERE wallet_id = $1),
            (SELECT greatest(former.next_index,
                             (SELECT 1 + max(address_index)::bigint FROM watched_scripts WHERE wallet_id = s.wallet_id))
               FROM watched_scripts s LEFT JOIN wallets former ON former.id = s.wallet_id
              WHERE s.script_pub_key = $2),
            0)))
    WHERE id = $1`,
);

/** A script that is already allocated keeps its invoice. */
export const KEEP_GIVEN_OUT = `ON CONFLICT DO NOTHING RETURNING address_index AS "addressIndex"`;

export type StoredMethod = DestinationRow & InvoicePaymentMethod;

/** By type. A row for each script of the invoice, normally one. */
export const readDestinations = statement<[invoiceIds: readonly string[]], StoredMethod>(
  "wallets.read-destinations",
  `SELECT m.invoice_id AS "invoiceId", m.type, m.destination, m.available, m.reason, m.mac,
          s.script_pub_key AS "scriptPubKey", s.wallet_id AS "walletId", s.address_index AS "addressIndex",
          b.payment_hash AS "paymentHash"
     FROM invoice_payment_methods m
     LEFT JOIN watched_scripts s ON s.invoice_id = m.invoice_id AND m.type = 'BTC-CHAIN' AND m.destination IS NOT NULL
     LEFT JOIN bolt11s b ON b.invoice_id = m.invoice_id AND b.bolt11 = m.destination AND m.type = 'BTC-LN'
    WHERE m.invoice_id = ANY($1::text[]) ORDER BY m.type`,
);

export interface WalletLink {
  storeId: string;
  mac: Buffer | null;
  id: string | null;
  scriptType: ScriptType | null;
  xpubEncrypted: Buffer | null;
}

/** `m`: store_payment_methods, `w`: its wallet's, if there is one. */
const LINK_COLUMNS = `m.store_id AS "storeId", m.mac, w.id, w.script_type AS "scriptType", w.xpub_encrypted AS "xpubEncrypted"`;

export const readLink = statement<[storeId: string], WalletLink>(
  "wallets.read-link",
  `SELECT ${LINK_COLUMNS} FROM store_payment_methods m LEFT JOIN wallets w ON w.id = m.wallet_id
    WHERE m.store_id = $1 AND m.type = 'BTC-CHAIN'`,
);

export type StoreTerms = Pick<
  Store,
  | "id"
  | "name"
  | "defaultCurrency"
  | "expiresInSeconds"
  | "monitoringSeconds"
  | "paymentTolerance"
  | "requiredConfirmations"
  | "confirmationTiers"
  | "zeroConfMaxSats"
  | "maxInvoiceSats"
  | "redirectAutomatically"
  | "rateSpread"
  | "rateSources"
  | "privateRouteHints"
  | "lazyAddresses"
>;

export type OfferRow = Omit<StoreTerms, "id" | "zeroConfMaxSats" | "maxInvoiceSats"> & {
  ofStore: string;
  zeroConfMaxSats: string | null;
  maxInvoiceSats: string | null;
  type: PaymentMethodType | null;
  nodeId: string | null;
} & WalletLink;

/** A row for each payment method; one without a type for a store that has none. */
export const readOffers = statement<[storeIds: readonly string[]], OfferRow>(
  "wallets.read-offers",
  `SELECT s.id AS "ofStore", s.name, s.default_currency AS "defaultCurrency", s.expires_in_seconds AS "expiresInSeconds",
          s.monitoring_seconds AS "monitoringSeconds", s.payment_tolerance AS "paymentTolerance",
          s.required_confirmations AS "requiredConfirmations", s.confirmation_tiers AS "confirmationTiers",
          s.zero_conf_max_sats AS "zeroConfMaxSats", s.max_invoice_sats AS "maxInvoiceSats", s.redirect_automatically AS "redirectAutomatically",
          s.rate_spread AS "rateSpread", s.rate_sources AS "rateSources", s.private_route_hints AS "privateRouteHints",
          s.lazy_addresses AS "lazyAddresses", m.type,
          m.lightning_node_id AS "nodeId", ${LINK_COLUMNS}
     FROM stores s
     LEFT JOIN store_payment_methods m ON m.store_id = s.id
     LEFT JOIN wallets w ON w.id = m.wallet_id
    WHERE s.id = ANY($1::text[])`,
);

/** Whether the owner's wallet software finds the next ones depends on it. */
export interface WalletUse {
  walletId: string;
  highestPaidIndex: number | null;
  /** Up to the last allocated; some may have been skipped. A smaller gap limit does not show a payment to the last. */
  unpaidInARow: number;
}

/** For a wallet, or all. Payments by Lightning, or gone from the mempool, pay no address. */
export const readUse = statement<[walletId: string | null, lookBack: number], WalletUse>(
  "wallets.read-use",
  `SELECT wallet.id AS "walletId", paid.address_index AS "highestPaidIndex",
          coalesce(read.last - coalesce(paid.address_index, read.first - 1), 0) AS "unpaidInARow"
     FROM wallets wallet
     LEFT JOIN LATERAL (
       SELECT min(address_index) AS first, max(address_index) AS last
         FROM (SELECT script.address_index FROM watched_scripts script
                WHERE script.wallet_id = wallet.id ORDER BY script.address_index DESC LIMIT $2) AS latest) AS read ON true
     LEFT JOIN LATERAL (
       SELECT latest.address_index
         FROM (SELECT script.address_index, script.invoice_id FROM watched_scripts script
                WHERE script.wallet_id = wallet.id ORDER BY script.address_index DESC LIMIT $2) AS latest
        WHERE EXISTS (SELECT FROM payments payment WHERE payment.invoice_id = latest.invoice_id
                         AND payment.txid IS NOT NULL AND ${whereLive("payment")})
        ORDER BY latest.address_index DESC LIMIT 1) AS paid ON true
    WHERE $1::text IS NULL OR wallet.id = $1`,
);
