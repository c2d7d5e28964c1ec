import { makeSecretBox } from "../../../adapters/crypto";
import { findWrongDestinations } from "../../../commands/wallets/check-destinations";
import type { Config } from "../../../config/schema";
import { Installation } from "../../../entities/installation";
import { failed, ok, unknown, type Check, type Database } from "./check";

const NAMED_MAX = 5;

/** Whether the addresses and BOLT11s that customers are shown are those that this service gave out. */
export async function destinationsCheck(db: Database, config: Partial<Config>): Promise<Check> {
  const name = "destinations";
  const { APP_SECRET: appSecret, APP_SECRET_OLD: appSecretOld, NETWORK: network } = config;
  if (appSecret === undefined || network === undefined)
    return unknown(name, "Unknown without APP_SECRET and NETWORK.");
  const secrets = makeSecretBox({ appSecret, appSecretOld });
  const installation = await db.manager.findOneBy(Installation, { singleton: true });
  if (installation === null || !secrets.checkValueMatches(installation.secretCheck))
    return unknown(name, "Unknown without the APP_SECRET that this database was made with.");
  if (installation.network !== network)
    return unknown(name, "Unknown with another NETWORK than that of this database.");
  const { checked, wrong } = await findWrongDestinations({ db, secrets, network });
  if (wrong.length === 0) return ok(name, `All ${checked} of the open invoices are authentic.`);
  const named = wrong.slice(0, NAMED_MAX).map(({ invoiceId, type }) => `${type} of ${invoiceId}`);
  const more = wrong.length - named.length;
  return failed(
    name,
    `Not authentic: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}. They are not shown to anybody.`,
    "Something other than this service wrote to the database, or it was restored or damaged. Find out who and when, and change the database's passwords. Then create the invoices again.",
  );
}
