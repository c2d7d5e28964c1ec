interface Made {
  createdByUserId: string | null;
  createdByEmail: string | null;
}

/** The creator of an API key or a webhook, as an owner reads it. */
export function makerOf({ createdByUserId, createdByEmail }: Made): string {
  return createdByEmail ?? createdByUserId ?? "command line";
}
