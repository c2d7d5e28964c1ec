interface Made {
  createdByUserId: string | null;
  createdByEmail: string | null;
}

export function makerOf({ createdByUserId, createdByEmail }: Made): string {
  return createdByEmail ?? createdByUserId ?? "command line";
}
