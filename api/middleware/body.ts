import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import { DomainError } from "../../domain/errors";
import { duplicateMember } from "../../domain/invoice/metadata";

const BODY_MAX_BYTES = 256 * 1024;

export interface JsonBody {
  value: unknown;
  /** The text as it was sent. */
  text: string;
}

/**
 * Reads a JSON body. No body at all is `{}`: routes without fields need none. The text is kept, because JSON.parse
 * loses what metadata must keep, which is why no ready-made parser does here.
 * @throws DomainError `unsupported-media-type`, `body-too-large`, `malformed-request`.
 */
export async function readJsonBody(koa: Context): Promise<JsonBody> {
  const length = koa.req.headers["content-length"];
  const none = length === "0" || (length === undefined && koa.req.headers["transfer-encoding"] === undefined);
  if (none) return { value: {}, text: "{}" };
  checkType(koa);
  if (Number(length) > BODY_MAX_BYTES) throw tooLarge(BODY_MAX_BYTES);
  return parse(await readBytes(koa.req, BODY_MAX_BYTES));
}

function checkType(koa: Context): void {
  const { charset } = koa.request;
  const plain = (koa.req.headers["content-encoding"] ?? "identity") === "identity";
  if (koa.request.is("application/json") !== "application/json" || !plain)
    throw new DomainError(
      "unsupported-media-type",
      "Send the body with Content-Type: application/json, not compressed.",
    );
  if (charset !== "" && charset.toLowerCase() !== "utf-8")
    throw new DomainError("unsupported-media-type", "JSON is UTF-8: leave the charset out.");
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError("body-too-large", `A body has at most ${maxBytes / 1024} KiB.`);
}

/**
 * What comes after a refusal is read and dropped by the server, up to its own time limit.
 * @throws DomainError `body-too-large`, `malformed-request`.
 */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  // It may have broken off while the key was looked up: then no event comes any more.
  if (request.destroyed) throw malformed("The body broke off.");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else {
        request.removeAllListeners("data");
        reject(tooLarge(maxBytes));
      }
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => reject(malformed("The body broke off.")));
    request.on("close", () => {
      if (!request.readableEnded) reject(malformed("The body broke off."));
    });
  });
}

function malformed(message: string): DomainError {
  return new DomainError("malformed-request", message);
}

function parse(bytes: Buffer): JsonBody {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    const twice = duplicateMember(text);
    if (twice !== null) throw malformed(`The body has the field ${JSON.stringify(twice)} twice.`);
    return { value, text };
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw malformed("The body is not valid JSON in UTF-8.");
  }
}
