import { readFileSync } from "node:fs";
import { request, type Agent } from "node:http";
import { withFiller } from "./fill/fill";

/** Resident memory of a process, in MB (10^6 bytes): the most that it ever was. NaN when it is gone. */
export function peakMb(pid: number): number {
  try {
    const kb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return (Number(kb) * 1_024) / 1e6;
  } catch {
    return NaN;
  }
}

export interface Answer<T> {
  status: number;
  json: T;
}

/** One request over HTTP; the body of the answer is JSON or empty. */
export function send<T>(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
  agent?: Agent,
): Promise<Answer<T>> {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        method,
        ...(agent === undefined ? {} : { agent }),
        headers: {
          ...headers,
          ...(body === undefined
            ? {}
            : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const answer = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            json: (answer === "" ? null : JSON.parse(answer)) as T,
          });
        });
      },
    );
    asked.on("error", reject);
    asked.end(text);
  });
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until it is so. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 60_000,
  everyMs = 20,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1_000} s`);
    await pause(everyMs);
  }
}

export function untilCaughtUp(databaseUrl: string): Promise<void> {
  const seen = "SELECT 1 FROM payment_method_syncs WHERE type = 'BTC-CHAIN' AND synchronized";
  return withFiller(databaseUrl, (client) =>
    until(async () => (await client.query(seen)).rowCount === 1, "chain-watch has seen the chain"),
  );
}
