import { effectiveTimeZone } from "../../domain/time-zone";
import type { Store } from "../../entities/store";
import { presenter } from "../http/presenter";
import { storeAnswer } from "./answer";

const shown = presenter(storeAnswer);

export const presentStore = (store: Store) =>
  shown(store, {
    storeId: store.id,
    effectiveTimeZone: effectiveTimeZone(store.timeZone),
    paymentTolerance: Number(store.paymentTolerance),
    confirmationTiers: store.confirmationTiers.map(({ aboveSats, confirmations }) => ({
      aboveSats: BigInt(aboveSats),
      confirmations,
    })),
    rateSpread: Number(store.rateSpread),
    branding: { logoUrl: store.logoUrl, color: store.brandColor },
    archived: store.archivedAt !== null,
  });
