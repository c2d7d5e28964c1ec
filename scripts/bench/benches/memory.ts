import { Agent, get, type ClientRequest } from "node:http";
import { type Bench, type Figure, figure } from "../bench";
import { createInvoices } from "./creation";
import type { Lab } from "../lab";
import { type Nodes, simulatedNodes } from "../nodes";
import { pause, peakMb, residentMb, until } from "../parts";
import { ALL_APPS, type App, type Service } from "../service";

const MOST_MB = 150;
const MOST_WITH_STREAMS_MB = 300;
/** As many as the service lets one address have; behind a trusted proxy each visitor has one of its own. */
const STREAMS_AN_ADDRESS = 50;

/** The checkout's event streams, held open by so many visitors. Returns what closes them. */
async function openStreams(
  service: Service,
  invoiceIds: readonly string[],
  count: number,
): Promise<() => void> {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const asked: ClientRequest[] = [];
  let open = 0;
  let refused = 0;
  for (let number = 0; number < count; number += 1) {
    const visitor = Math.floor(number / STREAMS_AN_ADDRESS);
    const address = `10.1.${Math.floor(visitor / 250)}.${(visitor % 250) + 1}`;
    const url = `${service.base}/i/${invoiceIds[number % invoiceIds.length]}/stream`;
    const request = get(url, { agent, headers: { "x-forwarded-for": address } }, (response) => {
      if (response.statusCode === 200) open += 1;
      else refused += 1;
      response.resume();
      response.on("error", () => undefined); // closed by us
    });
    request.on("error", () => undefined);
    asked.push(request);
    if (number % 100 === 99) await until(() => open + refused > number - 100, "streams open");
  }
  await until(() => open + refused === count, "all streams are open");
  if (refused > 0) throw new Error(`${refused} streams were refused`);
  return () => {
    for (const request of asked) request.destroy();
    agent.destroy();
  };
}

/** In a process that has done nothing before: what a load leaves lying is no stream's. */
async function withStreams(lab: Lab, env: Nodes["env"]): Promise<Figure> {
  const service = await lab.startService({
    apps: ["api"],
    env: { ...env, TRUST_PROXY: "127.0.0.1", RATE_LIMIT_PER_MINUTE: "0" },
  });
  const store = await service.openStore({ lightning: true });
  const count = lab.size(5_000, 50);
  const invoices = await Promise.all(
    Array.from({ length: Math.min(count, 100) }, () =>
      service.call<{ invoiceId: string }>(store, "POST", "/invoices", { amount: "21000", currency: "SATS" }),
    ),
  );
  const [pid = 0] = service.pidsOf("api");
  const before = residentMb(pid);
  const close = await openStreams(
    service,
    invoices.map(({ json }) => json.invoiceId),
    count,
  );
  await pause(lab.size(5_000, 100));
  const [after, most] = [residentMb(pid), peakMb(pid)];
  close();
  return figure({
    name: `api with ${count.toLocaleString("en")} open event streams`,
    unit: "MB",
    ours: [after],
    also: { "before MB": before, "each KB": ((after - before) * 1_000) / count, "at its peak MB": most },
    aim: { text: `< ${MOST_WITH_STREAMS_MB} MB`, atMost: MOST_WITH_STREAMS_MB },
  });
}

/** Each app at its largest, peaks included, and what it was under each load. */
function figuresOf(memories: Lab["memories"]): Figure[] {
  const ofApp = (app: App): [string, number][] =>
    [...memories].flatMap(([load, memory]) => (memory[app] === undefined ? [] : [[load, memory[app]]]));
  return ALL_APPS.filter((app) => ofApp(app).length > 0).map((app) =>
    figure({
      name: app,
      unit: "MB",
      ours: [Math.max(...ofApp(app).map(([, mb]) => mb))],
      also: Object.fromEntries(ofApp(app)),
      aim: { text: `< ${MOST_MB} MB`, atMost: MOST_MB },
    }),
  );
}

/** Runs after the others: it also reports what they recorded under their loads. */
export const memory: Bench = {
  name: "memory",
  title: "Resident memory",
  usesQueues: false,
  async run(lab) {
    const { env } = await simulatedNodes(lab, { lightning: true });
    await lab.apart(async (part) => {
      const service = await part.startService({ apps: ALL_APPS, env });
      await pause(lab.size(20_000, 500));
      lab.noteMemory("idle", service.memory(residentMb));
      if (lab.memories.has("creating invoices")) return;
      await createInvoices(service, await service.openStore({ lightning: true }), lab.size(10, 0.3));
      lab.noteMemory("creating invoices", service.memory());
    });
    const streams = await lab.apart((part) => withStreams(part, env));
    return [...figuresOf(lab.memories), streams];
  },
};
