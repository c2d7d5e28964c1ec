/**
 * SQL: a column in a form that no index has, so that Postgres goes by the statement's other conditions. For rows that are
 * known by a few keys and have a state which thousands may be in: with statistics of an hour in which none was, the
 * planner takes the index of that state for empty, and walks all of it for each statement, in the hour in which a hundred
 * thousand are. Where the index of one owner is wanted, `ORDER BY` of its columns with a `LIMIT` says so.
 */
export const unindexed = (column: string): string => `least(${column})`;
