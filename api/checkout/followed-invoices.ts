import type { CommandContext } from "../../commands/context";
import { type CheckoutFacts, readCheckouts } from "../../commands/invoices/read-checkout";
import type { Change } from "../../commands/server/notify-changes";
import { batchedRead } from "../../database/batch";
import { inTime } from "../../database/with-deadline";
import { DomainError } from "../../domain/errors";
import type { CheckoutParts } from "./parts";
import type { ChangeHearer } from "../live/change-watch";
import { contextOf } from "../http/for-request";
import type { EventStream } from "../live/event-stream";
import type { Language } from "../../domain/languages/language";
import { isOpen } from "../../domain/invoice/phase";
import { stateOf, versionOf } from "./state";
import { checkoutView, type CheckoutView, mayChange } from "./view";

/** Some changes are not published (a store's colour), and a notification may be lost. */
const LOOK_ANYWAY_MS = 60_000;
/** The time is up: the decision is published, but polled for in any case. */
const CHECKING_LOOK_MS = 5_000;
const AFTER_EXPIRY_MS = 100;
const AFTER_FAILURE_MS = 3_000;

/** Thousands of pages must not block the database. */
const READ_TOGETHER = { atMost: 50 };
const readMany = (ctx: CommandContext, ids: readonly string[]) => inTime(readCheckouts(ctx, ids));
/** Requested invoices do not wait for polled ones. */
const READ = { soon: batchedRead(readMany, READ_TOGETHER), later: batchedRead(readMany, READ_TOGETHER) };
type When = keyof typeof READ;

export interface OpenPage {
  stream: EventStream;
  languageFor: (ofInvoice: string | null) => Language;
  version: string | null;
}

type Parts = Pick<CheckoutParts, "context" | "changes" | "log">;

export class FollowedInvoices {
  private readonly followed = new Map<string, FollowedInvoice>();

  constructor(private readonly parts: Parts) {}

  /**
   * Until the stream ends, or nothing can change any more. Returns whether it continues.
   * @throws DomainError `invoice-not-found`, `unavailable`; and when the database is away.
   */
  async follow(invoiceId: string, page: OpenPage): Promise<boolean> {
    const invoice = this.followed.get(invoiceId) ?? this.begin(invoiceId);
    invoice.pages.add(page);
    page.stream.whenEnded(() => {
      invoice.pages.delete(page);
      if (invoice.pages.size > 0) return;
      invoice.stop();
      this.followed.delete(invoiceId);
    });
    return invoice.readNow();
  }

  private begin(invoiceId: string): FollowedInvoice {
    const invoice = new FollowedInvoice(invoiceId, this.parts);
    invoice.unwatch = this.parts.changes.watchInvoice(invoiceId, invoice);
    this.followed.set(invoiceId, invoice);
    return invoice;
  }
}

class FollowedInvoice implements ChangeHearer {
  readonly pages = new Set<OpenPage>();
  unwatch: () => void = () => undefined;
  private countsBlocks = true;
  private timer: NodeJS.Timeout | undefined;
  /** An earlier read may end later: it must not replace what came after it. */
  private requested = 0;
  private shown = { request: 0, goesOn: true };
  /** For states that were sent to all: thousands may have requested one together. */
  private readonly taken = new WeakMap<CheckoutFacts, boolean>();

  constructor(
    private readonly invoiceId: string,
    private readonly parts: Omit<Parts, "changes">,
  ) {}

  changed({ topic }: Change): void {
    if (topic === "invoices") void this.look("soon");
    else if (topic === "chain" && this.countsBlocks) void this.look("later");
  }

  missed(): void {
    void this.look("later");
  }

  async readNow(): Promise<boolean> {
    const goesOn = await this.read("soon");
    if (goesOn === undefined) throw new DomainError("invoice-not-found", "Invoice not found.");
    return goesOn;
  }

  stop(): void {
    this.unwatch();
    clearTimeout(this.timer);
  }

  /** Undefined if the invoice does not exist. */
  private async read(when: When): Promise<boolean | undefined> {
    const request = (this.requested += 1);
    const facts = await READ[when](contextOf(this.parts), this.invoiceId);
    return facts && this.take(facts, request);
  }

  private async look(when: When): Promise<void> {
    try {
      await this.read(when);
    } catch (error) {
      this.parts.log.debug({ err: error }, "checkout: live update failed");
      this.lookIn(AFTER_FAILURE_MS, "later");
    }
  }

  private take(facts: CheckoutFacts, request: number): boolean {
    const taken = this.taken.get(facts);
    if (taken !== undefined) return taken;
    if (request < this.shown.request) {
      this.lookIn(AFTER_FAILURE_MS, "later");
      return this.shown.goesOn;
    }
    const view = checkoutView(facts);
    const goesOn = mayChange(view);
    const present = presenterOf(view, facts.now);
    for (const page of [...this.pages]) {
      const { version, json } = present(page.languageFor(facts.view.invoice.language));
      if (version !== page.version) page.stream.sendAt(version, json());
      page.version = version;
      if (!goesOn) page.stream.end();
    }
    this.countsBlocks = view.confirmations !== null;
    this.lookIn(...nextLook(view, facts.now));
    this.taken.set(facts, goesOn);
    this.shown = { request, goesOn };
    return goesOn;
  }

  private lookIn(delayMs: number, when: When): void {
    clearTimeout(this.timer);
    if (this.pages.size === 0) return;
    // Pages that were opened, or lost the database, together must not keep polling together.
    const spreadMs = when === "later" ? delayMs * 0.5 * Math.random() : 0;
    this.timer = setTimeout(() => void this.look(when), delayMs + spreadMs);
  }
}

/** Some changes come with time and without a notification. */
function nextLook({ phase, expiresAt }: CheckoutView, now: Date): [delayMs: number, when: When] {
  if (phase === "checking") return [CHECKING_LOOK_MS, "later"];
  const leftMs = expiresAt.getTime() - now.getTime() + AFTER_EXPIRY_MS;
  return isOpen(phase) && leftMs < LOOK_ANYWAY_MS ? [leftMs, "soon"] : [LOOK_ANYWAY_MS, "later"];
}

/** Rendered once per language, and not at all if all pages show it. */
function presenterOf(view: CheckoutView, now: Date) {
  const byLanguage = new Map<string, { version: string; json: () => string }>();
  return (language: Language): { version: string; json: () => string } => {
    const known = byLanguage.get(language.code);
    if (known !== undefined) return known;
    const version = versionOf(view, language);
    let made: string | undefined;
    const json = (): string => (made ??= JSON.stringify(stateOf(view, language, { now, version })));
    byLanguage.set(language.code, { version, json });
    return { version, json };
  };
}
