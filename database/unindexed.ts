/**
 * SQL: a column that no index serves. By statistics from an hour without rows in a state, the planner would scan that
 * state's index, with a hundred thousand rows, for each statement. To choose the index of one owner, `ORDER BY` its
 * columns with a `LIMIT`.
 */
export const unindexed = (column: string): string => `least(${column})`;
