import type { DataSource } from "typeorm";
import type { Network } from "../../domain/network";
import { Installation, UNFINISHED_RESTORE } from "../../entities/installation";

/** The message says how to fix it. */
export class WrongInstallationError extends Error {
  override readonly name = "WrongInstallationError";
}

export interface InstallationFacts {
  network: Network;
  /** Encrypted under the present `APP_SECRET`. */
  makeCheckValue(): Buffer;
  checkValueMatches(checkValue: Buffer): boolean;
}

/**
 * At the first start, records; later, checks: another network's addresses would lose money, and another `APP_SECRET`
 * cannot read the secrets.
 * @throws WrongInstallationError
 */
export async function checkInstallation(db: DataSource, facts: InstallationFacts): Promise<void> {
  await db
    .createQueryBuilder()
    .insert()
    .into(Installation)
    .values({ singleton: true, network: facts.network, secretCheck: facts.makeCheckValue() })
    .orIgnore()
    .execute();
  const row = await db.manager.findOneByOrFail(Installation, { singleton: true });
  checkNetwork(row, facts.network);
  if (!facts.checkValueMatches(row.secretCheck))
    throw new WrongInstallationError(
      "APP_SECRET is not the one that this database was made with. Set the former one, or set it as APP_SECRET_OLD while you rotate it.",
    );
}

/** @throws WrongInstallationError */
export function checkNetwork(row: Installation, network: Network): void {
  if (row.network === UNFINISHED_RESTORE)
    throw new WrongInstallationError(
      "A restore into this database did not finish. Create an empty database, set DATABASE_URL to it, and run the restore again.",
    );
  if (row.network !== network)
    throw new WrongInstallationError(
      `This database was made for ${row.network}, but NETWORK is ${network}. Set NETWORK=${row.network}, or use another database.`,
    );
}
