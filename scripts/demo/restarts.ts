import { untilReady } from "./api";
import type { Apps } from "./apps";

/** A build after a change of the sources. */
export interface Rebuild {
  /** Paths below the root. */
  changed: readonly string[];
  /** Why it failed; null when it did not. */
  problem: string | null;
}

/** Watches the sources for ever, and waits for `rebuilt` before the next build. */
export type WatchSources = (rebuilt: (rebuild: Rebuild) => Promise<void>) => Promise<never>;

const READY_WITHIN_MS = 10_000;
const SHOWN_FILES = 3;
const MIGRATIONS = "database/migrations/";

type Scope = "api" | "all";

/** Null where no process of the service runs the file. */
export function scopeOf(file: string): Scope | null {
  const name = file.replaceAll("\\", "/");
  if (name.startsWith("scripts/") || name.startsWith(MIGRATIONS)) return null;
  return /^(api|web)\//.test(name) ? "api" : "all";
}

function shown(files: readonly string[]): string {
  const more = files.length - SHOWN_FILES;
  return `${files.slice(0, SHOWN_FILES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Restarts the API and the workers after builds. */
export class Restarts {
  /** Changed since the last restart. */
  private pending = new Set<string>();
  private stopped = false;

  constructor(
    private readonly apps: Apps,
    private readonly apiUrl: string,
    private readonly step: (text: string) => void,
  ) {}

  stop(): void {
    this.stopped = true;
  }

  async rebuilt({ changed, problem }: Rebuild): Promise<void> {
    if (this.stopped) return;
    this.step(`${shown(changed)} changed`);
    for (const file of changed) this.pending.add(file);
    if (problem !== null) return this.step(`not restarted, the build failed: ${problem}`);
    const scopes = new Set([...this.pending].map(scopeOf));
    this.pending.clear();
    if (scopes.has(null))
      this.step("scripts/ and migrations take effect when you stop this with Ctrl-C and start it again");
    if (scopes.has("all")) await this.restart("all");
    else if (scopes.has("api")) await this.restart("api");
  }

  private async restart(scope: Scope): Promise<void> {
    const begin = performance.now();
    const name = scope === "all" ? "API and workers" : "API";
    const reason = (await this.apps.restart(scope)) ?? (await untilReady(this.apiUrl, READY_WITHIN_MS));
    if (this.stopped) return;
    const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
    this.step(
      reason === null
        ? `${name} restarted in ${seconds} s`
        : `${name} restarted, but not ready after ${seconds} s. ${reason}\n${this.apps.lastError()}`,
    );
  }
}
