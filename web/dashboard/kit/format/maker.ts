interface Made {
  createdByUserId: string | null;
  createdByEmail: string | null;
}

/** Who made an API key or a webhook, as an owner reads it. */
export function makerOf({ createdByUserId, createdByEmail }: Made): string {
  return createdByEmail ?? createdByUserId ?? "command line";
}
