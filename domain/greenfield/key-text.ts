const WITHOUT_UNDERSCORES = /^sk(live|test)([0-9A-Za-z]+)$/;

/** The spelling of an API key that every plugin's form accepts: some accept only letters and digits. */
export function withoutUnderscores(apiKey: string): string {
  return apiKey.replaceAll("_", "");
}

/** The native spelling, of which the checksum is made; any other text unchanged. */
export function withUnderscores(apiKey: string): string {
  return apiKey.replace(WITHOUT_UNDERSCORES, "sk_$1_$2");
}
