import type { QueryRunner } from "typeorm";

// Not prepared: they detect a pooler that resets the session.

export async function markSession(runner: QueryRunner, mark: string | null): Promise<void> {
  await runner.query("SELECT set_config('quittance.mark', $1, false)", [mark ?? ""]);
}

export async function readSession(runner: QueryRunner): Promise<string> {
  const rows = (await runner.query(
    "SELECT pg_backend_pid() || ' ' || coalesce(current_setting('quittance.mark', true), '') AS state",
  )) as { state: string }[];
  return rows[0]?.state ?? "";
}
