import { ZodError } from "zod";
import { parseJson, sendRequest } from "../http/send-request";
import { SendFailure } from "../http/send-failure";
import type { RateSource, SourceAnswer, SourceQuote } from "./source";

/** `away`: no answer like an API's; `unusable`: not for this pair; `not-traded`: no such pair. */
export type SourceFault = "away" | "unusable" | "not-traded";

/** The message is a short code for the log. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  constructor(
    readonly fault: SourceFault,
    message: string,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

const ANSWER_LIMIT_BYTES = 256 * 1_024;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i;

export interface AskOptions {
  baseUrl: string;
  userAgent: string;
  deadlineMs: number;
}

export type TimedAnswer = SourceAnswer & { retryAfterMs: number };

/** @throws SourceError */
export function readAnswer(
  source: RateSource,
  currency: string,
  answer: TimedAnswer,
): SourceQuote & { price: string } {
  if (source.isNotTraded(answer, currency)) throw new SourceError("not-traded", "pair not traded");
  if (answer.status !== 200) throw new SourceError("away", `http-${answer.status}`, answer.retryAfterMs);
  if (answer.body === undefined) throw new SourceError("away", "no JSON");
  const { price, atMs } = readBody(source, answer.body, currency);
  if (price === null) throw new SourceError("unusable", "no usable price");
  return { price, atMs };
}

function readBody(source: RateSource, body: unknown, currency: string): SourceQuote {
  try {
    return source.read(body, currency);
  } catch (error) {
    if (error instanceof ZodError) throw new SourceError("unusable", "unknown format");
    throw error;
  }
}

/** @throws SourceError */
export async function fetchAnswer(
  source: RateSource,
  currency: string,
  options: AskOptions,
): Promise<TimedAnswer> {
  const headers = { Accept: "application/json", "User-Agent": options.userAgent };
  try {
    const answer = await sendRequest(new URL(options.baseUrl + source.path(currency)), {
      method: "GET",
      headers,
      deadlineMs: options.deadlineMs,
      answerBytesMax: ANSWER_LIMIT_BYTES,
    });
    const isJson = JSON_TYPE.test(answer.headers["content-type"] ?? "");
    const seconds = Number(answer.headers["retry-after"]);
    return {
      status: answer.status,
      body: isJson ? parseJson(answer.text) : undefined,
      retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0,
    };
  } catch (error) {
    throw new SourceError("away", error instanceof SendFailure ? error.errorCode : "connection failed");
  }
}
