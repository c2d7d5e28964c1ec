import type { Command } from "commander";
import { createApiKey } from "../../commands/stores/api-key";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

export function addApiKeyCommands(cli: Command, terminal: Terminal): void {
  const apiKey = cli.command("api-key").description("API keys of a store");
  apiKey
    .command("create")
    .description("create a key and print it once")
    .requiredOption("--store <id>", "the store's id")
    .requiredOption("--name <name>", "a name for the key")
    .action(
      answering(terminal, async ({ store, name }: { store: string; name: string }) => {
        const created = await withContext(terminal, ["APP_SECRET"], (ctx) =>
          createApiKey(ctx, { storeId: store, name }),
        );
        return {
          json: { id: created.record.id, apiKey: created.apiKey },
          text: `API key (shown only once): ${created.apiKey}`,
        };
      }),
    );
}
