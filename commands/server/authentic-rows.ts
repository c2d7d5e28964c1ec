import { IsNull, type EntityManager, type FindOptionsWhere } from "typeorm";
import type { QueryDeepPartialEntity } from "typeorm/query-builder/QueryPartialEntity";
import { DomainError } from "../../domain/errors";
import { ApiKey } from "../../entities/api-key";
import { Passkey } from "../../entities/passkey";
import { RecoveryCode } from "../../entities/recovery-code";
import { Session } from "../../entities/session";
import { Store } from "../../entities/store";
import { StoreInvitation } from "../../entities/store-invitation";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import type { CommandContext } from "../context";
import type { SecretsPort } from "../ports";
import type { Reading, Tx } from "../transaction";

// A row that decides about access carries a MAC (docs/adr/0073): somebody who can write to the database without
// APP_SECRET can take rights away and give none.

interface Row {
  mac: Buffer | null;
}
type Entity<R extends Row> = new () => R;
type Keeper = Pick<CommandContext, "secrets" | "log">;
type Macs = Pick<SecretsPort, "mac" | "macMatches">;
type Reader = Pick<CommandContext, "db"> & { secrets: Macs };

interface Kind {
  /** The MAC's first field. Never changed. */
  name: string;
  entity: Entity<Row>;
  columns: readonly string[];
  gives?: (row: object) => boolean;
}

function kind<R extends Row>(
  name: string,
  entity: Entity<R>,
  columns: readonly (keyof R & string)[],
  rest: Pick<Kind, "gives"> = {},
): Kind {
  return { name, entity, columns, ...rest };
}

/** Also the order of checking. Columns are only ever added with a migration that authenticates again. */
const KINDS: readonly Kind[] = [
  kind("user", User, [
    "id",
    "email",
    "admin",
    "passwordHash",
    "linkShownTo",
    "totpConfirmedAt",
    "disabledAt",
  ]),
  kind("passkey", Passkey, ["id", "userId", "credentialId", "publicKey"]),
  kind("recovery-code", RecoveryCode, ["userId", "codeHash"]),
  kind("session", Session, [
    "id",
    "tokenHash",
    "userId",
    "stage",
    "expiresAt",
    "authenticatedAt",
    "linkShownTo",
  ]),
  kind("user-link", UserLink, ["tokenHash", "userId", "kind", "storeId", "expiresAt", "shownTo"]),
  kind("store-member", StoreMember, ["storeId", "userId", "role"]),
  kind("store-invitation", StoreInvitation, ["storeId", "userId", "role", "createdByUserId", "expiresAt"]),
  kind("api-key", ApiKey, ["id", "storeId", "hash", "permissions", "expiresAt"]),
  kind("wallet-changes-by-key", Store, ["id", "walletChangesByKey"], {
    gives: (row) => Reflect.get(row, "walletChangesByKey") === true,
  }),
];

function kindOf(entity: Entity<Row>): Kind {
  const found = KINDS.find((one) => one.entity === entity);
  if (found === undefined) throw new Error(`${entity.name} is not authenticated`);
  return found;
}

function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString("hex");
  return value ?? null;
}

function fieldsOf({ name, columns }: Kind, row: object): string[] {
  return [name, JSON.stringify(columns.map((column) => plain(Reflect.get(row, column))))];
}

function isOwn({ secrets }: { secrets: Macs }, of: Kind, row: Row): boolean {
  return of.gives?.(row) === false || secrets.macMatches(row.mac, fieldsOf(of, row));
}

/** If this service did not write it, the log says so, and the row must give nothing. */
export function isAuthentic<R extends Row>(ctx: Keeper, entity: Entity<R>, row: Row & Partial<R>): boolean {
  const of = kindOf(entity);
  if (isOwn(ctx, of, row)) return true;
  ctx.log.error({ what: of.name, row: nameOf(row) }, "access: not authentic");
  return false;
}

export function ifAuthentic<R extends Row>(ctx: Keeper, entity: Entity<R>, row: R | null): R | null {
  return row !== null && isAuthentic(ctx, entity, row) ? row : null;
}

export async function findAuthentic<R extends Row>(
  from: Reading,
  entity: Entity<R>,
  where: FindOptionsWhere<R>,
): Promise<R[]> {
  const rows = await from.manager.findBy(entity, where);
  return rows.filter((row) => isAuthentic(from, entity, row));
}

export function macOfRow<R extends Row>(
  { secrets }: { secrets: Macs },
  entity: Entity<R>,
  row: Partial<R>,
): Buffer {
  return secrets.mac(fieldsOf(kindOf(entity), row));
}

export async function insertAuthentic<R extends Row>(
  tx: Tx,
  entity: Entity<R>,
  rows: readonly Omit<R, "mac">[],
): Promise<void> {
  const own = rows.map((row) => ({ ...row, mac: macOfRow(tx, entity, row as Partial<R>) }));
  await tx.manager.insert(entity, own as unknown as QueryDeepPartialEntity<R>[]);
}

/**
 * `row` was read in this transaction, and locked if others may change it.
 * @throws DomainError `unavailable` if it is not authentic: with the new MAC it would be.
 */
export async function changeAuthentic<R extends Row>(
  tx: Tx,
  entity: Entity<R>,
  row: R,
  changes: Partial<Omit<R, "mac">>,
): Promise<R> {
  const { manager } = tx;
  if (!isAuthentic(tx, entity, row))
    throw new DomainError(
      "unavailable",
      "Something other than this service wrote to the database. The operator can see what: cli access.",
    );
  const changed = { ...row, ...changes };
  const own = { ...changes, mac: macOfRow(tx, entity, changed) };
  await manager.update(entity, keyOf(manager, entity, row), own as unknown as QueryDeepPartialEntity<R>);
  return { ...changed, mac: own.mac };
}

function keysOf(manager: EntityManager, entity: Entity<Row>): string[] {
  return manager.connection.getMetadata(entity).primaryColumns.map(({ propertyName }) => propertyName);
}

function keyOf<R extends Row>(manager: EntityManager, entity: Entity<R>, row: Row): FindOptionsWhere<R> {
  const pairs = keysOf(manager, entity).map((key) => [key, Reflect.get(row, key) as unknown]);
  return Object.fromEntries(pairs) as FindOptionsWhere<R>;
}

/** A token's hash finds nothing, and a row without an id has a user's or a store's. */
function nameOf(row: object): string {
  const { id, storeId, userId } = row as Partial<Record<"id" | "storeId" | "userId", string>>;
  return id ?? [userId, storeId].filter(Boolean).join(" ");
}

const BATCH = 500;

async function* eachRow(manager: EntityManager): AsyncGenerator<{ of: Kind; row: Row }> {
  for (const of of KINDS) {
    const keys = keysOf(manager, of.entity);
    // No others: an older database may not have them yet.
    const read = [...new Set([...keys, ...of.columns, "mac"])].map((column) => `row.${column}`);
    for (let after: Row | null = null; ;) {
      const query = manager.createQueryBuilder(of.entity, "row").select(read).limit(BATCH);
      for (const key of keys) query.addOrderBy(`row.${key}`);
      if (after !== null) {
        const [names, values] = [keys.map((key) => `row.${key}`), keys.map((key) => `:${key}`)];
        query.where(`(${names.join(", ")}) > (${values.join(", ")})`, keyOf(manager, of.entity, after));
      }
      const rows: Row[] = await query.getMany();
      for (const row of rows) yield { of, row };
      after = rows.at(-1) ?? null;
      if (after === null || rows.length < BATCH) break;
    }
  }
}

/** Unless its MAC has changed since it was read. */
async function writeMac(
  { db: { manager }, secrets }: Reader,
  { of, row }: { of: Kind; row: Row },
): Promise<number> {
  const where = { ...keyOf(manager, of.entity, row), mac: row.mac ?? IsNull() };
  const { affected } = await manager.update(of.entity, where, { mac: secrets.mac(fieldsOf(of, row)) });
  return affected ?? 0;
}

/** It gives nobody anything until the operator accepts it. */
export interface NotAuthenticRow {
  what: string;
  /** Its id, or those of its user and its store. */
  row: string;
}

/** For the operator and the daily check: written by something other than this service. */
export async function findNotAuthentic(ctx: Reader): Promise<NotAuthenticRow[]> {
  const found: NotAuthenticRow[] = [];
  for await (const { of, row } of eachRow(ctx.db.manager))
    if (!isOwn(ctx, of, row)) found.push({ what: of.name, row: nameOf(row) });
  return found;
}

/** On the operator's word: authenticates what is there. */
export async function acceptRows(ctx: Reader): Promise<NotAuthenticRow[]> {
  const accepted: NotAuthenticRow[] = [];
  for await (const { of, row } of eachRow(ctx.db.manager)) {
    if (isOwn(ctx, of, row)) continue;
    if ((await writeMac(ctx, { of, row })) > 0) accepted.push({ what: of.name, row: nameOf(row) });
  }
  return accepted;
}

/** Makes the former secret's MACs again. Returns how many were written. */
export async function renewRows(ctx: Pick<CommandContext, "db" | "secrets">): Promise<number> {
  const { formerKeyId } = ctx.secrets;
  let written = 0;
  if (formerKeyId === null) return written;
  for await (const { of, row } of eachRow(ctx.db.manager)) {
    const isFormer = row.mac !== null && formerKeyId.equals(row.mac.subarray(0, formerKeyId.length));
    if (isFormer && isOwn(ctx, of, row)) written += await writeMac(ctx, { of, row });
  }
  return written;
}
