/**
 * SQL: a column in a form that no index has, so that Postgres uses the statement's other conditions. For rows that
 * are identified by a few keys and have a state which thousands may be in: with statistics from an hour in which no
 * row was in that state, the planner takes the state's index for empty, and scans all of it for each statement when
 * a hundred thousand rows are in it. To choose the index of one owner, `ORDER BY` its columns with a `LIMIT`.
 */
export const unindexed = (column: string): string => `least(${column})`;
