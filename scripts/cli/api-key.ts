import type { Command } from "commander";
import { createApiKey } from "../../commands/api-key";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

export function addApiKeyCommands(cli: Command, terminal: Terminal): void {
  const apiKey = cli.command("api-key").description("keys with which programs use a store");
  apiKey
    .command("create")
    .description("make a key and print it, this once")
    .requiredOption("--store <id>", "the store's id")
    .requiredOption("--name <name>", "what it is for")
    .action(
      answering(terminal, async ({ store, name }: { store: string; name: string }) => {
        const created = await withContext(terminal, [], (ctx) => createApiKey(ctx, { storeId: store, name }));
        return {
          json: { id: created.record.id, apiKey: created.apiKey },
          text: `API key, shown this once: ${created.apiKey}`,
        };
      }),
    );
}
