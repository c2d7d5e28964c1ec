// eslint-disable-next-line @typescript-eslint/no-require-imports -- PM2 reads it so too
const { apps } = require("../../ecosystem.config.js") as {
  apps: readonly { node_args: readonly string[] }[];
};

/** PM2's arguments for node: the same for every app. */
export const NODE_ARGS: readonly string[] = apps[0]?.node_args ?? [];
