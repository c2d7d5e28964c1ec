import { makeSecretBox } from "../../../adapters/crypto";
import { cliCommand } from "../../../adapters/version";
import type { SecretsPort } from "../../../commands/ports";
import { findNotAuthentic } from "../../../commands/server/authentic-rows";
import { findWrongDestinations } from "../../../commands/wallets/check-destinations";
import type { Config } from "../../../config/schema";
import type { Network } from "../../../domain/network";
import { Installation } from "../../../entities/installation";
import { failed, ok, unknown, type Database, type Finding } from "./check";

const NAMED_MAX = 5;

const WHAT_TO_DO =
  "Something other than this service wrote to the database, or it was restored or damaged. Find out who and when, and change the database's passwords.";

/** What reads the MACs; or why they cannot be read. */
async function readerOf(
  db: Database,
  { APP_SECRET: appSecret, APP_SECRET_OLD: appSecretOld, NETWORK: network }: Partial<Config>,
): Promise<string | { db: Database; secrets: SecretsPort; network: Network }> {
  if (appSecret === undefined || network === undefined) return "Unknown without APP_SECRET and NETWORK.";
  const secrets = makeSecretBox({ appSecret, appSecretOld });
  const installation = await db.manager.findOneBy(Installation, { singleton: true });
  if (installation === null || !secrets.checkValueMatches(installation.secretCheck))
    return "Unknown without the APP_SECRET that this database was made with.";
  if (installation.network !== network) return "Unknown with another NETWORK than that of this database.";
  return { db, secrets, network };
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return `${names.slice(0, NAMED_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Whether the users, roles, keys and sessions are those that this service wrote. */
export async function accessCheck(db: Database, config: Partial<Config>): Promise<Finding> {
  const reader = await readerOf(db, config);
  if (typeof reader === "string") return unknown(reader);
  const wrong = await findNotAuthentic(reader);
  if (wrong.length === 0) return ok("All users, roles, keys and sessions are authentic.");
  const named = listed(wrong.map(({ what, row }) => `${what} ${row}`));
  return failed(
    `Not authentic: ${named}. They give nobody a right.`,
    `${WHAT_TO_DO} Delete these rows; \`${cliCommand("access")}\` lists all. Of those that an app of the version before wrote during an upgrade, or you did, it takes \`--accept\`.`,
  );
}

/** Whether the addresses and BOLT11s that customers are shown are those that this service gave out. */
export async function destinationsCheck(db: Database, config: Partial<Config>): Promise<Finding> {
  const reader = await readerOf(db, config);
  if (typeof reader === "string") return unknown(reader);
  const { checked, wrong } = await findWrongDestinations(reader);
  if (wrong.length === 0) return ok(`All ${checked} of the open invoices are authentic.`);
  const named = listed(wrong.map(({ invoiceId, type }) => `${type} of ${invoiceId}`));
  return failed(
    `Not authentic: ${named}. They are not shown to anybody.`,
    `${WHAT_TO_DO} Then create the invoices again.`,
  );
}
