import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** Events that can be sent again by their id. */
const REMEMBERED = 1_000;

interface SentEvent {
  seq: string;
  eventId: string;
}

/** Of one store and one receiver. */
export interface Progress {
  /** All events up to here were sent, or passed over. */
  after: string | null;
  /** It was about to be sent when this was written. */
  sending: string | null;
  sent: SentEvent[];
}

interface StoreState {
  secret: string;
  forwardTo: string | null;
}

const nameOf = (...parts: string[]): string =>
  createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);

/** What `listen` keeps of a store on this machine: only the user can read it. */
export class ListenState {
  readonly #dir: string;
  readonly #store: string;

  /** `stateHome`: the variable XDG_STATE_HOME (XDG Base Directory Specification). */
  constructor({
    baseUrl,
    storeId,
    stateHome,
  }: {
    baseUrl: string;
    storeId: string;
    stateHome: string | undefined;
  }) {
    const home =
      stateHome !== undefined && path.isAbsolute(stateHome)
        ? stateHome
        : path.join(os.homedir(), ".local/state");
    this.#dir = path.join(home, "quittance");
    this.#store = nameOf(new URL(baseUrl).href, storeId);
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
  }

  /** Made at the first call, and then always the same. */
  secret(): string {
    return this.#storeState().secret;
  }

  lastForwardTo(): string | null {
    return this.#storeState().forwardTo;
  }

  setForwardTo(forwardTo: string): void {
    this.#write(`store-${this.#store}`, { ...this.#storeState(), forwardTo } satisfies StoreState);
  }

  progress(forwardTo: string): Progress {
    return this.#read<Progress>(this.#progressName(forwardTo)) ?? { after: null, sending: null, sent: [] };
  }

  saveProgress(forwardTo: string, { sent, ...progress }: Progress): void {
    this.#write(this.#progressName(forwardTo), {
      ...progress,
      sent: sent.slice(-REMEMBERED),
    } satisfies Progress);
  }

  /** How often an event was sent again by hand, kept apart from what a `listen` that runs writes. */
  countResend(forwardTo: string, seq: string): number {
    const name = `${this.#progressName(forwardTo)}-again`;
    const counts = this.#read<Record<string, number>>(name) ?? {};
    const count = (counts[seq] ?? 0) + 1;
    this.#write(name, { ...counts, [seq]: count });
    return count;
  }

  /**
   * One process sends to a receiver at a time. Returns what ends it.
   * @throws Error when another one does.
   */
  lock(forwardTo: string): () => void {
    const file = path.join(this.#dir, `${this.#progressName(forwardTo)}.lock`);
    for (let tries = 0; tries < 2; tries += 1)
      try {
        writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
        return () => rmSync(file, { force: true });
      } catch {
        const holder = Number(readFileSync(file, "utf8"));
        if (lives(holder))
          throw new Error(`Another listen (process ${holder}) sends this store's events to ${forwardTo}.`);
        rmSync(file, { force: true });
      }
    throw new Error(`${file} cannot be made.`);
  }

  #storeState(): StoreState {
    const name = `store-${this.#store}`;
    const kept = this.#read<StoreState>(name);
    if (kept !== null) return kept;
    const made: StoreState = { secret: `whsec_${randomBytes(32).toString("base64")}`, forwardTo: null };
    this.#write(name, made);
    return made;
  }

  #progressName(forwardTo: string): string {
    return `forward-${nameOf(this.#store, forwardTo)}`;
  }

  #read<T>(name: string): T | null {
    const file = path.join(this.#dir, `${name}.json`);
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return null;
      throw error;
    }
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new Error(`${file} is damaged. Delete it to begin anew.`);
    }
  }

  /** Whole or not at all. */
  #write(name: string, value: object): void {
    const file = path.join(this.#dir, `${name}.json`);
    writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}

function lives(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
