import { randomBytes } from "node:crypto";
import type { Connection } from "./connection";
import { followPages, TIMEOUT_MS } from "./events";
import { ListenState } from "./listen-state";
import { bodyOf, postEvent, type EventType, type PostAnswer } from "./post-event";
import { readRawFeed, type RawFeed, type RawFeedEvent } from "./raw-feed";

interface Parts {
  connection: Connection;
  baseUrl: string;
  storeId: string;
  stateHome: string | undefined;
  say(line: string): void;
}

interface Listening extends Parts {
  forwardTo: string;
  /** Undefined: all. */
  types: readonly EventType[] | undefined;
  since: string | undefined;
  signal: AbortSignal;
}

async function readFeed({ connection }: Parts, query: object, signal?: AbortSignal): Promise<RawFeed> {
  const ask = { query, timeoutMs: TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
  return readRawFeed(await connection.text("GET", `${connection.store}/events`, ask));
}

/**
 * Sends what happens to the receiver, one event at a time, each once: its position is kept before it is sent, so a
 * process that dies between leaves it for `--resend`. Ends with the signal.
 */
export async function listen(options: Listening): Promise<void> {
  const { forwardTo, types, since, signal, say, baseUrl } = options;
  const state = new ListenState(options);
  const unlock = state.lock(forwardTo);
  try {
    const secret = state.secret();
    state.setForwardTo(forwardTo);
    const progress = state.progress(forwardTo);
    if (since !== undefined) progress.after = since;
    // Its answer shows that URL, key and store are right before anything is promised.
    progress.after ??= (await readFeed(options, { after: "latest", limit: 1 }, signal)).nextAfter;
    say(`Listening to ${options.storeId} at ${baseUrl}. Signing secret: ${secret}`);
    say(
      `Each event goes to ${forwardTo} once, ${types === undefined ? "of all types" : `of ${types.join(", ")}`}.`,
    );
    if (progress.sending !== null)
      say(`! ${progress.sending} was perhaps not sent when this ended: --resend ${progress.sending}`);
    progress.sending = null;
    state.saveProgress(forwardTo, progress);
    await follow(
      options,
      async (event) => {
        progress.after = event.seq;
        const wanted = types?.includes(event.type) ?? true;
        if (wanted) {
          progress.sending = event.seq;
          progress.sent.push({ seq: event.seq, eventId: event.eventId });
        }
        state.saveProgress(forwardTo, progress);
        if (!wanted) return;
        say(lineOf(event, await send(options, event, { forwardTo, secret, attempt: 1 })));
        progress.sending = null;
        state.saveProgress(forwardTo, progress);
      },
      progress.after,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unlock();
  }
}

async function follow(
  options: Listening,
  each: (event: RawFeedEvent) => Promise<void>,
  after: string,
): Promise<void> {
  const { signal, say, baseUrl } = options;
  let away = false;
  const onTrouble = (): void => {
    if (!away) say(`… ${baseUrl} does not answer; waiting for it`);
    away = true;
  };
  const read = (query: object) => readFeed(options, query, signal);
  for await (const { data } of followPages(read, { after, signal, onTrouble })) {
    if (away) say(`… ${baseUrl} answers again`);
    away = false;
    for (const event of data) {
      if (signal.aborted) return;
      await each(event);
    }
  }
}

interface Sending {
  forwardTo: string;
  secret: string;
  attempt: number;
}

async function send(
  { storeId }: Parts,
  event: RawFeedEvent,
  { forwardTo, secret, attempt }: Sending,
): Promise<PostAnswer | null> {
  const { eventId, metadata } = event;
  if (metadata === null) return null;
  return postEvent(forwardTo, { eventId, storeId, attempt, body: bodyOf({ ...event, metadata }) }, secret);
}

function lineOf(event: RawFeedEvent, answer: PostAnswer | null): string {
  const { seq, type, additionalStatus, invoiceId, createdAt } = event;
  const status = additionalStatus === "None" ? type : `${type}/${additionalStatus}`;
  const what = `${createdAt.slice(0, 19).replace("T", " ")}  ${status.padEnd(26)} ${invoiceId}  ${seq}`;
  if (answer === null) return `${what}  not sent: its metadata is no longer stored`;
  const again = answer.ok ? "" : `  (again: --resend ${seq})`;
  return `${what}  → ${answer.text} in ${answer.tookMs} ms${again}`;
}

/** @throws Error when the event is not in the feed, or the receiver did not accept it. */
export async function resend(parts: Parts, forwardTo: string, id: string): Promise<void> {
  const state = new ListenState(parts);
  const known = state
    .progress(forwardTo)
    .sent.find(({ seq, eventId }) => eventId === id || seq === id.padStart(16, "0"));
  const seq = known?.seq ?? (/^\d{1,16}$/.test(id) ? id.padStart(16, "0") : null);
  if (seq === null)
    throw new Error(`${id} was not sent from here. Name it by its seq, which the event feed shows.`);
  const before = String(BigInt(seq) - 1n).padStart(16, "0");
  const { data } = await readFeed(parts, { after: before, limit: 1 });
  const event = data.find((one) => one.seq === seq);
  if (event === undefined) throw new Error(`The feed has no event ${seq}.`);
  const attempt = state.countResend(forwardTo, seq) + 1;
  const answer = await send(parts, event, { forwardTo, secret: state.secret(), attempt });
  parts.say(lineOf(event, answer));
  if (answer?.ok !== true) throw new Error("The receiver did not accept it.");
}

/** A test event, which is no invoice's. @throws Error when the receiver did not accept it. */
export async function trigger(parts: Parts, type: EventType, given: string | undefined): Promise<void> {
  const state = new ListenState(parts);
  const forwardTo = given ?? state.lastForwardTo();
  if (forwardTo === null) throw new Error("Where to? Give --forward-to URL, or start listen first.");
  const unique = randomBytes(9).toString("hex");
  const body = bodyOf({
    type,
    invoiceId: `inv_test${unique}`,
    metadata: '{"orderId":"test"}',
    additionalStatus: "None",
  });
  const event = { eventId: `evt_test${unique}`, storeId: parts.storeId, attempt: 1, body, test: true };
  const answer = await postEvent(forwardTo, event, state.secret());
  parts.say(`${type} (test) to ${forwardTo}  → ${answer.text} in ${answer.tookMs} ms`);
  if (!answer.ok) throw new Error("The receiver did not accept it.");
}
