const WITHOUT_UNDERSCORES = /^sk(live|test)([0-9A-Za-z]+)$/;

/** Some plugins' forms accept only letters and digits. */
export function withoutUnderscores(apiKey: string): string {
  return apiKey.replaceAll("_", "");
}

/** The native spelling, whose checksum is valid; other texts unchanged. */
export function withUnderscores(apiKey: string): string {
  return apiKey.replace(WITHOUT_UNDERSCORES, "sk_$1_$2");
}
