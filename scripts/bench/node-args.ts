interface App {
  name: string;
  node_args?: readonly string[];
}
// eslint-disable-next-line @typescript-eslint/no-require-imports -- PM2 reads it so too
const { apps } = require("../../ecosystem.config.js") as { apps: readonly App[] };

/** PM2's arguments for node beside an app. */
export function nodeArgsOf(app: string): readonly string[] {
  return apps.find(({ name }) => name === app)?.node_args ?? [];
}
