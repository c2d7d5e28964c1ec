import type { z } from "zod";
import type { StoreChanges } from "../../commands/stores/change-store";
import type { changeStoreBody } from "./request";

export function changesOf({ branding = {}, ...changes }: z.output<typeof changeStoreBody>): StoreChanges {
  const { logoUrl, color } = branding;
  return {
    ...changes,
    ...(logoUrl === undefined ? {} : { logoUrl }),
    ...(color === undefined ? {} : { brandColor: color }),
  };
}
