import { getMetadataArgsStorage } from "typeorm";
import type { ColumnMetadataArgs } from "typeorm/metadata-args/ColumnMetadataArgs";
import { ENTITIES, SnakeCaseNaming } from "./data-source";

export interface TableColumn {
  name: string;
  /** As Postgres names it: `numeric(7,4)`, `text[]`. */
  type: string;
  nullable: boolean;
  primary: boolean;
}

/** A unique constraint or index besides the primary key. */
export interface TableKey {
  columns: readonly string[];
  /** SQL; null if it applies to all rows. */
  where: string | null;
}

export interface TableDescription {
  name: string;
  columns: readonly TableColumn[];
  keys: readonly TableKey[];
}

const naming = new SnakeCaseNaming();

function typeOf({ type, precision, scale, array }: ColumnMetadataArgs["options"]): string {
  const size = [precision, scale].filter((part) => part !== undefined && part !== null).join(",");
  return `${String(type)}${size === "" ? "" : `(${size})`}${array === true ? "[]" : ""}`;
}

/** By the entities, without a connection. */
export function describeTables(): TableDescription[] {
  const storage = getMetadataArgsStorage();
  return ENTITIES.map((entity) => {
    const isOf = ({ target }: { target: unknown }): boolean => target === entity;
    const columns = storage.columns.filter(isOf);
    const nameOf = (property: string): string =>
      naming.columnName(
        property,
        columns.find(({ propertyName }) => propertyName === property)?.options.name,
      );
    const key = (found: { columns?: unknown; where?: string }): TableKey => ({
      columns: (found.columns as readonly string[]).map(nameOf),
      where: found.where ?? null,
    });
    return {
      name: storage.tables.find(isOf)?.name ?? "",
      columns: columns.map(({ propertyName, options }) => ({
        name: nameOf(propertyName),
        type: typeOf(options),
        nullable: options.nullable === true,
        primary: options.primary === true,
      })),
      keys: [
        ...storage.uniques.filter(isOf).map((unique) => key({ columns: unique.columns })),
        ...storage.indices.filter((index) => isOf(index) && index.unique === true).map(key),
      ],
    };
  });
}
