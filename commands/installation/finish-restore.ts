import type { EntityManager } from "typeorm";
import { readOtherSessions, readRunningApps } from "../../database/server-facts";
import { invalidField } from "../../domain/errors";
import type { Network } from "../../domain/network";
import { Installation } from "../../entities/installation";
import { readWorkAt } from "../chain/queries";
import type { CommandContext } from "../context";
import { WrongInstallationError } from "./check-installation";
import { raiseAlert } from "../server/raise-alert";
import { writeAudit } from "../server/write-audit";
import { alertOfJump } from "../wallets/shared-wallet";
import {
  endLogins,
  endRetriesOfSending,
  forgetReceipts,
  holdPending,
  insertRestore,
  type MovedWallet,
  skipInAllWallets,
} from "./restore-queries";
import { inTransaction, type Tx } from "../transaction";

/** A large shop's invoices of a day, and more than most wallets look ahead. */
export const SKIP_BY_DEFAULT = 1_000;
const SKIP_MAX = 1_000_000;

export interface RestoredBackup {
  network: Network;
  takenAt: Date;
  skipAddresses: number;
}

export interface FinishedRestore {
  wallets: MovedWallet[];
  /** Pending in the backup, or waiting for a retry. */
  heldDeliveries: number;
}

/** @throws DomainError `validation-failed` */
export function checkSkip(skipAddresses: number): void {
  if (!Number.isInteger(skipAddresses) || skipAddresses < 0 || skipAddresses > SKIP_MAX)
    throw invalidField("/skipAddresses", `Must be a whole number from 0 to ${SKIP_MAX}.`);
}

/**
 * A connected app would not see the mark of an unfinished restore, which it reads only when it starts.
 * @throws WrongInstallationError
 */
export async function refuseOtherSessions(manager: EntityManager): Promise<void> {
  const { rows } = await readOtherSessions(manager);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => (name === "" ? "without a name" : name)).join(", ");
  throw new WrongInstallationError(
    `Others are connected to the database that is restored (${names}). Stop all apps and close other clients, make sure that the database is empty (\`createdb\`), and run the restore again.`,
  );
}

/**
 * After loading a backup. One transaction; before its commit nothing starts on this database.
 * @throws WrongInstallationError while others are connected
 */
export async function finishRestore(
  ctx: CommandContext,
  { network, takenAt, skipAddresses }: RestoredBackup,
): Promise<FinishedRestore> {
  checkSkip(skipAddresses);
  return inTransaction(ctx, async (tx) => {
    const cause = `The database was restored from a backup of ${takenAt.toISOString()}.`;
    const finished = await guardAfterLoss(tx, { cause, takenAt, skipAddresses });
    await refuseOtherSessions(tx.manager);
    await tx.manager.update(Installation, { singleton: true }, { network });
    return finished;
  });
}

/**
 * After another tool's restore, or a failover that lost commits: a backup of when an app last worked. Running it twice
 * skips twice as many addresses.
 * @throws WrongInstallationError while our apps are connected
 */
export async function finishOtherRestore(
  ctx: CommandContext,
  skipAddresses: number,
): Promise<FinishedRestore & Pick<RestoredBackup, "takenAt">> {
  checkSkip(skipAddresses);
  return inTransaction(ctx, async (tx) => {
    await refuseRunningApps(tx.manager);
    const [work] = (await readWorkAt(tx.manager)).rows;
    const takenAt = work?.at ?? (await tx.now());
    const cause = `The database was restored by another tool, or lost commits in a failover. An app last worked on it at ${takenAt.toISOString()}; if apps ran after the failover, the loss is older.`;
    const finished = await guardAfterLoss(tx, { cause, takenAt, skipAddresses });
    await refuseRunningApps(tx.manager);
    return { ...finished, takenAt };
  });
}

/** A running app would allocate and send meanwhile. */
async function refuseRunningApps(manager: EntityManager): Promise<void> {
  const { rows } = await readRunningApps(manager);
  if (rows.length === 0) return;
  throw new WrongInstallationError(
    `Stop all apps first, on all hosts, and run this again before they start. Connected to the database: ${rows.map(({ name }) => name).join(", ")}.`,
  );
}

/**
 * No address is given out again, nothing is sent again by itself, and feeds continue where no reader has been. Chain
 * and LND are read on from the snapshot's positions.
 */
async function guardAfterLoss(
  tx: Tx,
  { cause, takenAt, skipAddresses }: Omit<RestoredBackup, "network"> & { cause: string },
): Promise<FinishedRestore> {
  const { rows: wallets } = await skipInAllWallets(tx.manager, skipAddresses);
  for (const { walletId, from, to } of wallets) if (to > from) await alertOfJump(tx, walletId, { from, to });
  const { count: heldDeliveries } = await holdPending(tx.manager);
  await endRetriesOfSending(tx.manager);
  await forgetReceipts(tx.manager);
  await endLogins(tx.manager);
  const id = tx.newId("rst");
  await insertRestore(tx.manager, id, takenAt);
  await raiseAlert(tx, {
    kind: "restored",
    severity: "critical",
    subject: id,
    message: `${cause} What came later is lost, but for what the Bitcoin node and LND still know. Until you resolve this alert, deliveries about invoices of before the loss are not sent by themselves, since they may have been sent: they are marked failed with the error held-after-restore. When health is ok, resolve it, and redeliver those that the shops do not have.`,
  });
  await writeAudit(tx, {
    action: "database.restored",
    storeId: null,
    subject: id,
    details: { takenAt: takenAt.toISOString(), skipAddresses, heldDeliveries },
  });
  return { wallets, heldDeliveries };
}
