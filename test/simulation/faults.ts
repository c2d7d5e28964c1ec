/** What happens at one call of a port, or one statement. */
export type FaultKind =
  /** It never leaves, and its caller hears so. */
  | "fails"
  /** It never leaves, and its caller hears so when it has waited for as long as it does. */
  | "hangs"
  /** The database's host has vanished, and says nothing to anybody: new connections reach another. Other calls hang. */
  | "is silent"
  /** It takes effect, and its caller hears that it failed. */
  | "answer lost"
  /** The process ends in front of it. */
  | "ends before"
  /** The process ends when it has taken effect. */
  | "ends after";
export const FAULT_KINDS: readonly FaultKind[] = [
  "fails",
  "hangs",
  "is silent",
  "answer lost",
  "ends before",
  "ends after",
];

/**
 * The fault of one story. A call "fails", "hangs" or "is silent" at the n-th call of all; the other kinds are counted by effects, since between
 * two effects the world is the same wherever a process ends, and a lost answer that says what is so still is a failed call.
 */
export interface FaultPlan {
  at: number;
  kind: FaultKind;
}

const OF_CALLS: readonly FaultKind[] = ["fails", "hangs", "is silent"];

/** Counts the calls of all processes of a world, and says where a fault is. */
export class Faults {
  /** Since the last plan. */
  calls = 0;
  effects = 0;
  /** Calls that were hit, of all plans. */
  hits = 0;
  /** The name of the call that was hit. */
  hit: string | null = null;
  /** A delivery may have lost its only automatic attempt: whoever sends may have died, or was not heard. */
  costly = false;
  private plan: FaultPlan | null = null;
  /** Of each call, whether something shall happen there; for random rounds. */
  chance: () => FaultKind | null = () => null;

  /** How time passes for one who waits. */
  wait: (seconds: number) => Promise<void> = () => Promise.resolve();
  private quiet = false;

  /** What has no fault, and is not counted. */
  async without(run: () => Promise<void>): Promise<void> {
    this.quiet = true;
    try {
      await run();
    } finally {
      this.quiet = false;
    }
  }

  get planned(): boolean {
    return this.plan !== null;
  }

  begin(plan: FaultPlan | null): void {
    this.calls = 0;
    this.effects = 0;
    this.hit = null;
    this.costly = false;
    this.plan = plan;
  }

  /** Nothing happens any more. */
  end(): void {
    this.plan = null;
    this.chance = () => null;
  }

  next(name: string, effect: boolean): FaultKind | null {
    if (this.quiet) return null;
    this.calls += 1;
    if (effect) this.effects += 1;
    const kind = this.byPlan(effect) ?? this.chance();
    if (kind === null) return null;
    this.hits += 1;
    this.hit = `${kind}: ${name}`;
    this.costly ||= kind.startsWith("ends") || name === "send a webhook";
    return kind;
  }

  private byPlan(effect: boolean): FaultKind | null {
    if (this.plan === null) return null;
    const { at, kind } = this.plan;
    if (OF_CALLS.includes(kind)) return this.calls === at ? kind : null;
    return effect && this.effects === at ? kind : null;
  }
}

/** What a call is, beside its name. */
interface Call<T> {
  /** It may change what others see. */
  effect: boolean;
  run(): Promise<T>;
  /** What its caller hears when it fails; it may break what the call was made by. */
  failed(): Error | Promise<Error>;
  /** It never leaves, and its caller does not hear so unless it finds out. */
  silent?(): Promise<T>;
}

/** Of a call that is not answered. */
const DEADLINE_SECONDS = 30;
const never = <T>(): Promise<T> => new Promise(() => undefined);

/** Where a process stands still. */
export interface StallPoint {
  /** The call, by its name. */
  at: RegExp;
  /** The so-maniest of them; default the first. */
  nth?: number;
  /** With the answer in its hand, and not before it asks. */
  answered?: boolean;
}

/** A process that stands still at a call, and does not know how long it was. */
export class Stall {
  readonly reached: Promise<void>;
  private tellReached: () => void = () => undefined;
  private readonly gone: Promise<void>;
  private tellGone: () => void = () => undefined;
  private left: number;

  constructor(private readonly point: StallPoint) {
    this.left = point.nth ?? 1;
    this.reached = new Promise((resolve) => (this.tellReached = resolve));
    this.gone = new Promise((resolve) => (this.tellGone = resolve));
  }

  letGo(): void {
    this.left = -1;
    this.tellGone();
  }

  async pass(name: string, answered: boolean): Promise<void> {
    const { at, answered: asked = false } = this.point;
    if (this.left <= 0 || answered !== asked || !at.test(name)) return;
    this.left -= 1;
    if (this.left > 0) return;
    this.tellReached();
    await this.gone;
  }
}

/** A process's life: what it calls hangs for ever once it has ended, so that none of its code goes on. */
export class Life {
  over = false;
  readonly ended: Promise<void>;
  private tellEnded: () => void = () => undefined;
  private readonly atEnd: (() => void)[] = [];
  /** Calls that are under way. */
  open = 0;
  /** Where it will stand still, until it is let go. */
  stall: Stall | null = null;

  constructor(
    readonly name: string,
    private readonly faults: Faults,
    private readonly tell: (what: string) => void,
  ) {
    this.ended = new Promise((resolve) => (this.tellEnded = resolve));
  }

  onEnd(then: () => void): void {
    this.atEnd.push(then);
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    for (const then of this.atEnd) then();
    this.tellEnded();
  }

  /** Makes a call that may be hit. */
  async call<T>(name: string, { effect, run, failed, silent }: Call<T>): Promise<T> {
    if (this.over) return never();
    const fault = this.faults.next(name, effect);
    if (fault !== null) this.tell(`${this.name}: ${fault}: ${name}`);
    if (fault === "ends before") {
      this.end();
      return never();
    }
    const isSilent = fault === "is silent" && silent !== undefined;
    if (fault === "hangs" || (fault === "is silent" && !isSilent)) await this.faults.wait(DEADLINE_SECONDS);
    if (fault !== null && OF_CALLS.includes(fault) && !isSilent) throw await failed();
    await this.stall?.pass(name, false);
    if (this.over) return never();
    this.open += 1;
    try {
      const answer = await (isSilent ? silent() : run());
      await this.standStill(name);
      if (fault === "ends after") this.end();
      if (this.over) return await never<T>();
      if (fault === "answer lost") throw await failed();
      return answer;
    } catch (error) {
      if (this.over) return await never<T>();
      throw error;
    } finally {
      this.open -= 1;
    }
  }

  /** With an answer that its process does not know yet: nobody waits for that. */
  private async standStill(name: string): Promise<void> {
    this.open -= 1;
    try {
      await this.stall?.pass(name, true);
    } finally {
      this.open += 1;
    }
  }
}

/** Of a port's methods those that change something out there. */
const PORT_EFFECTS = ["broadcast", "addInvoice", "cancelInvoice"];

/** A port whose every method may be hit. What it is, it is in production; `failed` is what its adapter throws. */
export function faultyPort<P extends object>(port: P, name: string, life: Life, failed: () => Error): P {
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) =>
        life.call(`${name}.${String(key)}`, {
          effect: PORT_EFFECTS.includes(String(key)),
          run: async () => (await Reflect.apply(value, target, given)) as unknown,
          failed,
        });
    },
  });
}
