import { Option, type Command } from "commander";
import { createApiKey } from "../../commands/stores/api-key";
import { KEY_ACCESS, type KeyAccess } from "../../domain/account/key-access";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

interface CreateOptions {
  store: string;
  name: string;
  access: KeyAccess;
}

export function addApiKeyCommands(cli: Command, terminal: Terminal): void {
  const apiKey = cli.command("api-key").description("API keys of a store");
  apiKey
    .command("create")
    .description("create a key and print it once")
    .requiredOption("--store <id>", "the store's id")
    .requiredOption("--name <name>", "a name for the key")
    .addOption(new Option("--access <access>", "what the key may do").choices(KEY_ACCESS).default("full"))
    .action(
      answering(terminal, async ({ store, name, access }: CreateOptions) => {
        const created = await withContext(terminal, ["APP_SECRET"], (ctx) =>
          createApiKey(ctx, { storeId: store, name, access }),
        );
        return {
          json: { id: created.record.id, apiKey: created.apiKey },
          text: `API key (shown only once): ${created.apiKey}`,
        };
      }),
    );
}
