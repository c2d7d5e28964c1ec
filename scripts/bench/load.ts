import { Agent } from "node:http";
import { percentile } from "./bench";
import { pause, send } from "./parts";

export interface Loaded {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  count: number;
}

export interface LoadOptions {
  /** Requests at a time, each on a kept-alive connection of its own. */
  connections: number;
  seconds: number;
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body(number: number): string;
  /** What a good answer has. */
  status: number;
}

/** Sends requests as fast as they are answered. A wrong answer ends it: a fast wrong answer is no figure. */
export async function load(options: LoadOptions): Promise<Loaded> {
  const { connections, seconds, url, method, headers, body, status } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1_000;
  let number = 0;
  async function lane(): Promise<void> {
    while (performance.now() < end) {
      const sent = performance.now();
      number += 1;
      const answer = await send(url, method, headers, body(number), agent);
      if (answer.status !== status)
        throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.json)}`);
      latencies.push(performance.now() - sent);
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, lane));
  } finally {
    agent.destroy();
  }
  const took = (performance.now() - begin) / 1_000;
  return {
    perSecond: latencies.length / took,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    count: latencies.length,
  };
}

/** Does something so many times a second, whether or not the last has ended, until it is stopped. Returns how many failed. */
export function steadily(perSecond: number, act: () => Promise<unknown>): { stop(): Promise<number> } {
  let running = true;
  let failed = 0;
  const under = new Set<Promise<void>>();
  const begin = performance.now();
  async function run(): Promise<void> {
    for (let done = 0; running;) {
      for (const due = ((performance.now() - begin) / 1_000) * perSecond; done < due && running; done += 1) {
        const one: Promise<void> = act()
          .then(
            () => undefined,
            () => void (failed += 1),
          )
          .finally(() => under.delete(one));
        under.add(one);
      }
      await pause(5);
    }
  }
  const ran = run();
  return {
    stop: async () => {
      running = false;
      await ran;
      await Promise.all(under);
      return failed;
    },
  };
}
