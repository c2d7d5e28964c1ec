import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { request, type Agent } from "node:http";
import { bip32 } from "../../domain/wallet/curve";
import { networkParams } from "../../domain/wallet/network-params";

/** The account key of a wallet without an owner. */
export function newXpub(): string {
  const root = bip32.fromSeed(randomBytes(32), networkParams("regtest"));
  return root.derivePath("m/84'/1'/0'").neutered().toBase58();
}

/** A line of what Linux reports of a process, in MB (10^6 bytes). NaN when it is missing. */
function statusMb(pid: number, line: "VmRSS" | "VmHWM"): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kb = new RegExp(`^${line}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    return (Number(kb) * 1_024) / 1e6;
  } catch {
    return NaN;
  }
}

/** Resident memory of a process now. */
export const residentMb = (pid: number): number => statusMb(pid, "VmRSS");
/** The most that it ever was. */
export const peakMb = (pid: number): number => statusMb(pid, "VmHWM");

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
