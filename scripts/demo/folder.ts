import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commandOf, pidIn } from "../processes";

/** What a second start needs. Secrets: readable only by its owner. */
export interface Kept {
  appSecret: string;
  /** Of a name of its own: the server's files may outlive this folder, where they had to be put elsewhere. */
  database: string;
  storeId?: string;
  apiKey?: string;
  webhook?: KeptWebhook;
  /** To the shop's accounting, which fails once. */
  accounting?: KeptWebhook;
  /** The invoices in every state were made. */
  examples?: true;
}

export interface KeptWebhook {
  id: string;
  secret: string;
  port: number;
}

/** What other commands need to know of a demo that runs. */
export interface Running {
  apiUrl: string;
  /** Where the customer is asked to pay. */
  customerUrl: string;
  /** Of the service's processes. */
  settings: Record<string, string>;
}

/** A sentence for the person at the terminal, and the end. */
export class DemoRefusal extends Error {
  override readonly name = "DemoRefusal";
}

/** In the command line of every demo: scripts/npm/demo.cjs, or the package's command. */
const COMMAND = /demo\.cjs|quittance-demo/;

export class DemoFolder {
  constructor(readonly dir: string) {}

  file(name: string): string {
    return path.join(this.dir, name);
  }

  /** Creates the folder and locks it for this process. */
  take(): void {
    try {
      mkdirSync(this.dir, { recursive: true });
      accessSync(this.dir, constants.W_OK);
    } catch (error) {
      throw new DemoRefusal(
        `The folder ${this.dir} cannot be written to (${(error as NodeJS.ErrnoException).code}). A demo that was started by another user leaves files of that user; a clone must be where you may write.`,
      );
    }
    const other = this.owner();
    if (other !== null)
      throw new DemoRefusal(`A demo runs here already (process ${other}). End it there with Ctrl-C first.`);
    rmSync(this.file("demo.pid"), { force: true }); // of a crashed one, maybe another user's
    writeFileSync(this.file("demo.pid"), String(process.pid));
  }

  release(): void {
    rmSync(this.file("running.json"), { force: true });
    rmSync(this.file("demo.pid"), { force: true });
  }

  readKept(): Kept | null {
    return this.read<Kept>("demo.json");
  }

  writeKept(kept: Kept): void {
    this.write("demo.json", kept);
  }

  /** Null when no demo runs here; one that crashed runs no more. */
  readRunning(): Running | null {
    return this.owner() === null ? null : this.read<Running>("running.json");
  }

  writeRunning(running: Running): void {
    this.write("running.json", running);
  }

  /** The demo that runs here, beside this process. */
  private owner(): number | null {
    const pid = pidIn(this.file("demo.pid"));
    return pid !== null && pid !== process.pid && COMMAND.test(commandOf(pid) ?? "") ? pid : null;
  }

  private read<T>(name: string): T | null {
    try {
      return JSON.parse(readFileSync(this.file(name), "utf8")) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw new DemoRefusal(`${this.file(name)} cannot be read. Remove ${this.dir} to begin anew.`);
    }
  }

  /** Whole or not at all. */
  private write(name: string, value: object): void {
    const fresh = this.file(`${name}.new`);
    writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(fresh, this.file(name));
  }
}
