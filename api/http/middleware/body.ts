import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import { DomainError, invalidField } from "../../../domain/errors";
import { duplicateMember } from "../../../domain/invoice/metadata";

/** Metadata of 32 KiB with every character escaped. */
export const BODY_MAX_BYTES = 256 * 1024;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const STRUCTURE = new Uint8Array(256);
for (const token of "{}[],:") STRUCTURE[token.charCodeAt(0)] = 1;
/** Brackets, commas and colons are what a body costs: metadata of 32 KiB have room for 5,000 fields. */
const TOKENS_MAX = 16_384;

const POINTER_MAX_LENGTH = 200;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const UNPAIRED = /\p{Surrogate}/u;

export interface JsonBody {
  value: unknown;
  text: string;
}

/**
 * A missing body is `{}`. No ready-made parser keeps the text, which metadata need.
 * @throws DomainError `unsupported-media-type`, `body-too-large`, `malformed-request`, `validation-failed`.
 */
export async function readJsonBody(koa: Context, maxBytes: number): Promise<JsonBody> {
  const length = koa.req.headers["content-length"];
  const none = length === "0" || (length === undefined && koa.req.headers["transfer-encoding"] === undefined);
  if (none) return { value: {}, text: "{}" };
  checkType(koa);
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  return parse(await readBytes(koa.req, maxBytes));
}

function checkType(koa: Context): void {
  const { charset } = koa.request;
  const plain = (koa.req.headers["content-encoding"] ?? "identity") === "identity";
  if (koa.request.is("application/json") !== "application/json" || !plain) {
    const type = koa.get("content-type").slice(0, 100);
    const came = type === "" ? "It came without a Content-Type." : `It came as \`${type}\`.`;
    const wanted = "Send the body uncompressed, with `Content-Type: application/json`.";
    throw new DomainError("unsupported-media-type", plain ? `${wanted} ${came}` : wanted);
  }
  if (charset !== "" && charset.toLowerCase() !== "utf-8")
    throw new DomainError("unsupported-media-type", "JSON is always UTF-8: remove the charset.");
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError(
    "body-too-large",
    `The body must have at most ${maxBytes < 1024 ? `${maxBytes} bytes` : `${maxBytes / 1024} KiB`}.`,
  );
}

/** After a refusal the server drops the rest. @throws DomainError `body-too-large`, `malformed-request`. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  // Ended while the key was looked up: no event follows.
  if (request.destroyed) throw malformed("The body is incomplete.");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= maxBytes) return;
      request.removeAllListeners("data");
      request.resume();
      reject(tooLarge(maxBytes));
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => reject(malformed("The body is incomplete.")));
    request.on("close", () => {
      if (!request.readableEnded) reject(malformed("The body is incomplete."));
    });
  });
}

function malformed(message: string): DomainError {
  return new DomainError("malformed-request", message);
}

/** Outside of texts. Allocates nothing. */
function hasTooManyTokens(bytes: Buffer): boolean {
  let found = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) inText = !inText;
    else if (inText && byte === BACKSLASH) at += 1;
    else if (!inText) found += STRUCTURE[byte] ?? 0;
    if (found > TOKENS_MAX) return true;
  }
  return false;
}

function parse(bytes: Buffer): JsonBody {
  if (hasTooManyTokens(bytes))
    throw invalidField(
      "",
      `The body must have at most ${TOKENS_MAX} brackets, commas and colons outside of texts.`,
    );
  try {
    // Without a byte order mark.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    const twice = duplicateMember(text);
    if (twice !== null) throw malformed(`The body has the field ${JSON.stringify(twice)} twice.`);
    const half = SURROGATE_ESCAPE.test(text) ? pointerOfHalf(value) : null;
    if (half !== null)
      throw invalidField(half, "Must not contain an unpaired surrogate (half of a character).");
    return { value, text };
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw malformed("The body is not valid JSON in UTF-8.");
  }
}

/** Half a character, as a title cut in the middle of an emoji: many receivers' parsers would refuse each delivery. */
function pointerOfHalf(value: unknown, pointer = ""): string | null {
  if (typeof value === "string") return UNPAIRED.test(value) ? pointer : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    if (UNPAIRED.test(name)) return pointer;
    const found = pointerOfHalf(member, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    if (found !== null) return found.slice(0, POINTER_MAX_LENGTH);
  }
  return null;
}
