import { effectiveTimeZone } from "../../domain/time-zone";
import type { Store } from "../../entities/store";

export function presentStore(store: Store) {
  return {
    storeId: store.id,
    name: store.name,
    website: store.website,
    supportUrl: store.supportUrl,
    sellerDetails: store.sellerDetails,
    defaultCurrency: store.defaultCurrency,
    timeZone: store.timeZone,
    effectiveTimeZone: effectiveTimeZone(store.timeZone),
    expiresInSeconds: store.expiresInSeconds,
    monitoringSeconds: store.monitoringSeconds,
    paymentTolerance: Number(store.paymentTolerance),
    requiredConfirmations: store.requiredConfirmations,
    confirmationTiers: store.confirmationTiers.map(({ aboveSats, confirmations }) => ({
      aboveSats: BigInt(aboveSats),
      confirmations,
    })),
    zeroConfMaxSats: store.zeroConfMaxSats,
    maxInvoiceSats: store.maxInvoiceSats,
    redirectAutomatically: store.redirectAutomatically,
    receiptsByMail: store.receiptsByMail,
    privateRouteHints: store.privateRouteHints,
    lazyAddresses: store.lazyAddresses,
    rateSpread: Number(store.rateSpread),
    rateSources: store.rateSources,
    branding: { logoUrl: store.logoUrl, color: store.brandColor },
    checkoutOrigins: store.checkoutOrigins,
    walletChangesByKey: store.walletChangesByKey,
    archived: store.archivedAt !== null,
    createdAt: store.createdAt,
  };
}
