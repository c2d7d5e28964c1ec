import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, logVerbosity, Metadata, setLogVerbosity, type ChannelOptions } from "@grpc/grpc-js";
import { type Answer, type CallName, CALLS, readAnswer } from "./calls";
import {
  channelCredentials,
  type LndCredentials,
  readCertificate,
  readMacaroon,
  tlsOptions,
  type TlsOptions,
} from "./credentials";
import { type Dial, hostOf, namesOf } from "./dial";
import { failureOf, isOfLnd, LndFailure, NO_ANSWER } from "./failure";
import { withDeadline } from "../../database/with-deadline";
import { type Message, readStream } from "./stream";
import { unary } from "./unary";

// It would write a line with the node's address at each failure, beside the log.
setLogVerbosity(logVerbosity.NONE);

/** In milliseconds. Tests shorten them. */
export interface LndTimes {
  call: number;
  addInvoice: number;
  /** During a call. LND accepts a ping every 5 s, and none without a call. */
  keepalive: number;
  keepaliveAnswer: number;
  /** Doubling from the first to the second, ± a fifth. */
  backoff: number;
  backoffMax: number;
}

export const LND_TIMES: LndTimes = {
  call: 5_000,
  addInvoice: 3_000,
  keepalive: 30_000,
  keepaliveAnswer: 10_000,
  backoff: 1_000,
  backoffMax: 10_000,
};

export interface LndSettings extends LndCredentials {
  /** `host:port` */
  address: string;
  /** For each new channel of a store's node. Absent: the system resolves. */
  dial?: () => Promise<Dial>;
}

const ANSWER_BYTES_MAX = 50 * 1024 * 1024;
const JITTER = 0.2;

/** For any number of calls. */
export function newUse(): AbortController {
  const use = new AbortController();
  setMaxListeners(0, use.signal);
  return use;
}

interface Link {
  client: Client;
  certificate: string | null;
  /** Each ends a stream. */
  cancels: Set<() => void>;
  /** In progress. */
  calls: number;
  /** All its sockets. */
  end(): void;
  target: string;
  /** Not a secret of the operator's network. */
  open: boolean;
}

function optionsOf(address: string, times: LndTimes): ChannelOptions {
  return {
    ...namesOf(address),
    "grpc.keepalive_time_ms": times.keepalive,
    "grpc.keepalive_timeout_ms": times.keepaliveAnswer,
    "grpc.keepalive_permit_without_calls": 0,
    "grpc.max_receive_message_length": ANSWER_BYTES_MAX,
    "grpc.initial_reconnect_backoff_ms": times.backoff,
    "grpc.max_reconnect_backoff_ms": times.backoffMax,
    // A replacement must not share the broken connection.
    "grpc.use_local_subchannel_pool": 1,
    // A proxy of the environment is for the web; LND has no DNS TXT records.
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    "grpc.enable_channelz": 0,
  };
}

/**
 * The channel is replaced when the certificate changes, and after an unanswered call: TCP notices a half open
 * connection only after a quarter of an hour.
 */
export class Connection {
  readonly #settings: LndSettings;
  readonly #times: LndTimes;
  #link: Link | null = null;
  #opening: Promise<Link> | null = null;
  /** Where an LND has answered. */
  #proven: string | null = null;
  /** Aborted with everything that is under way. */
  #use = newUse();
  #late = 0;
  #tls: { certificate: string | null; options: TlsOptions } | null = null;
  /** Monotonic clock. */
  #renewableAt = 0;

  constructor(settings: LndSettings, times: LndTimes) {
    this.#settings = settings;
    this.#times = times;
  }

  /** The deadline includes the look-up of its name. @throws LndFailure */
  async call<N extends CallName>(name: N, request: object, withinMs = this.#times.call): Promise<Answer<N>> {
    const { right } = CALLS[name];
    const endsAt = performance.now() + withinMs;
    const given = this.#use.signal;
    let link: Link | null = null;
    try {
      const metadata = this.#metadata(right);
      link = await withDeadline(withinMs, () => this.#current(), noAnswer);
      const asked = { request, metadata, withinMs: Math.max(1, endsAt - performance.now()), given };
      const answer = await this.#inProgress(link, unary(link.client, name, asked));
      this.#late = 0;
      this.#proven = link.target;
      return parsed(name, answer);
    } catch (error) {
      const failure = this.#failureOf(error, right);
      if (link === null) throw failure;
      // A store's node may have another address by now.
      const moved = this.#settings.dial !== undefined && failure.meaning === "away";
      if (failure.meaning === "late" || moved) this.#answeredLate(link);
      const reported = this.#reported(link, failure);
      // The time shows no more than the words.
      if (reported !== failure)
        await sleep(endsAt - performance.now(), undefined, { signal: given }).catch(() => undefined);
      throw reported;
    }
  }

  #failureOf(error: unknown, right: string | null): LndFailure {
    const { certificate, dial } = this.#settings;
    return failureOf(error, right, certificate === null && dial === undefined);
  }

  /** Whoever names an address does not learn what else than an LND is there. */
  #reported(link: Link, failure: LndFailure): LndFailure {
    if (isOfLnd(failure)) this.#proven = link.target;
    return link.open || link.target === this.#proven ? failure : noAnswer(failure);
  }

  /** Ends without an error only by the signal. @throws LndFailure */
  async *stream<N extends CallName>(
    name: N,
    request: object,
    signal: AbortSignal,
  ): AsyncGenerator<Message<N>, void> {
    if (signal.aborted) return;
    const { right } = CALLS[name];
    const metadata = this.#metadata(right);
    const link = await this.#current();
    if (signal.aborted) return;
    // The operator's own may be as busy as it is.
    const rests = this.#settings.dial !== undefined;
    try {
      yield* readStream(link.client, name, { request, metadata, signal, rests, cancels: link.cancels });
    } catch (error) {
      throw this.#reported(link, this.#failureOf(error, right));
    }
  }

  async #inProgress<T>(link: Link, call: Promise<T>): Promise<T> {
    link.calls += 1;
    try {
      return await call;
    } finally {
      link.calls -= 1;
      if (link.calls === 0 && link !== this.#link) link.end();
    }
  }

  /** Everything under way fails; the next call opens a new connection. */
  giveUp(): void {
    const link = this.#link;
    this.#use.abort();
    this.#use = newUse();
    this.#renew();
    link?.end();
  }

  /** Streams fail; calls in progress continue. */
  #renew(): void {
    const link = this.#link;
    this.#link = null;
    if (link === null) return;
    for (const cancel of link.cancels) cancel();
    link.client.close();
    if (link.calls === 0) link.end();
  }

  #metadata(right: string | null): Metadata {
    const metadata = new Metadata();
    if (right !== null) metadata.set("macaroon", readMacaroon(this.#settings));
    return metadata;
  }

  async #current(): Promise<Link> {
    const certificate = readCertificate(this.#settings);
    if (this.#link !== null && this.#link.certificate !== certificate) this.#renew();
    if (this.#link !== null) return this.#link;
    this.#opening ??= this.#open(certificate).finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #open(certificate: string | null): Promise<Link> {
    const { address, dial } = this.#settings;
    const given = this.#use.signal;
    const own = { target: `dns:${address}`, options: {}, open: true };
    const { target, options, open } = dial === undefined ? own : await unlessAborted(dial(), given);
    // A context takes 40 KB outside V8's heap, which are freed late: a node that hangs would take them at each attempt.
    if (this.#tls?.certificate !== certificate)
      this.#tls = { certificate, options: tlsOptions(certificate, hostOf(address)) };
    const { credentials, end } = channelCredentials(this.#tls.options);
    const client = new Client(target, credentials, { ...optionsOf(address, this.#times), ...options });
    return (this.#link = { client, certificate, cancels: new Set(), calls: 0, end, target, open });
  }

  #answeredLate(link: Link): void {
    const now = performance.now();
    if (link !== this.#link || now < this.#renewableAt) return;
    const pause = Math.min(this.#times.backoff * 2 ** this.#late, this.#times.backoffMax);
    this.#renewableAt = now + pause * (1 - JITTER + 2 * JITTER * Math.random());
    this.#late += 1;
    this.#renew();
  }
}

const noAnswer = (cause?: LndFailure): LndFailure => new LndFailure("late", NO_ANSWER, cause);

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(new LndFailure("away", NO_ANSWER));
    signal.addEventListener("abort", leave);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

function parsed<N extends CallName>(name: N, answer: unknown): Answer<N> {
  const read = readAnswer(name, answer);
  if (!read.success) throw new LndFailure("malformed", `LND's answer to ${CALLS[name].method} is malformed`);
  return read.data;
}
