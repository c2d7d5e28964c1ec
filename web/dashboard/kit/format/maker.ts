interface Made {
  createdByUserId: string | null;
  createdByEmail: string | null;
}

/** Null for both: what a key makes belongs to its maker, and keys of the command line have none. */
export function makerOf({ createdByUserId, createdByEmail }: Made): string {
  return createdByEmail ?? createdByUserId ?? "API key or command line";
}
