// eslint-disable-next-line @typescript-eslint/no-require-imports -- PM2 reads it so too
const { apps } = require("../../ecosystem.config.js") as {
  apps: readonly { name: string; node_args: readonly string[] }[];
};

/** PM2's arguments for node. */
export const nodeArgsOf = (app: string): readonly string[] =>
  apps.find(({ name }) => name === app)?.node_args ?? apps[0]?.node_args ?? [];
