import type { EventFeed, FeedEvent } from "./events";

/** An event, and its metadata as the merchant sent it: parsing would round large numbers and reorder keys. */
export type RawFeedEvent = Omit<FeedEvent, "metadata"> & { metadata: string | null };

export interface RawFeed {
  data: RawFeedEvent[];
  nextAfter: string;
}

/** The feed's answer with each event's metadata as text. */
export function readRawFeed(text: string): RawFeed {
  const { data, nextAfter } = JSON.parse(text) as EventFeed;
  const raw = metadataTexts(text);
  return {
    data: data.map((event, index) => ({
      ...event,
      metadata: event.metadata === null ? null : (raw[index] ?? JSON.stringify(event.metadata)),
    })),
    nextAfter,
  };
}

/** A string, or a character that begins or ends an object or array, or separates members. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
/** Of a member of an event, which is an object in the list of the answer. */
const DEPTH = 3;

/** The values of the members `metadata` of all events, in order. */
function metadataTexts(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let begin = -1;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const ends = token === "}" || token === "]" || token === ",";
    if (ends && depth === DEPTH && begin >= 0) {
      found.push(text.slice(begin, index).trim());
      begin = -1;
    }
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === DEPTH && begin < 0 && token === '"metadata"')
      begin = afterColon(text, index + token.length);
  }
  return found;
}

/** -1: the token is a value and not a name. */
function afterColon(text: string, from: number): number {
  const colon = /^\s*:/.exec(text.slice(from, from + 16));
  return colon === null ? -1 : from + colon[0].length;
}
