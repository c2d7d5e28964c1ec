import { type Bench, figure, medianOf } from "../bench";
import { simulatedNodes } from "../nodes";
import { cpuMs } from "../parts";
import { ALL_APPS, type Service, type Store } from "../service";
import { createInvoices } from "./creation";
import { load, type Loaded } from "./load";

const CONNECTIONS = 32;

/** The same invoice as the native one, as the PHP library sends it: all of its fields, `null` where it has nothing. */
const bodyOf = (number: number): string =>
  JSON.stringify({
    amount: "21000",
    currency: "SATS",
    metadata: { orderId: `order-${number}`, cart: ["coffee", "cake"] },
    checkout: {
      speedPolicy: null,
      paymentMethods: null,
      expirationMinutes: null,
      monitoringMinutes: null,
      paymentTolerance: null,
      redirectURL: "https://shop.example/thanks",
      redirectAutomatically: null,
      defaultLanguage: null,
    },
  });

function createAsPlugin(service: Service, store: Store, seconds: number): Promise<Loaded> {
  return load({
    connections: CONNECTIONS,
    seconds,
    url: `${service.base}/api/v1/stores/${store.storeId}/invoices`,
    method: "POST",
    headers: { authorization: `token ${store.apiKey}` },
    body: bodyOf,
    status: 200,
  });
}

interface Round extends Loaded {
  /** CPU of the API's process for an invoice, in ms: it depends less on what else the machine does. */
  cpuMs: number;
}

/** One process of the API. */
async function measured(service: Service, create: () => Promise<Loaded>): Promise<Round> {
  const cpu = (): number => service.pidsOf("api").reduce((sum, pid) => sum + cpuMs(pid), 0);
  const before = cpu();
  const loaded = await create();
  return { ...loaded, cpuMs: (cpu() - before) / loaded.count };
}

const WAYS = { plugin: createAsPlugin, native: createInvoices };
const NATIVE = "the same invoices by the native API";

/** Creation in the dialect of shop plugins, beside the native one on the same service: the one that is first takes turns. */
export const shopCreation: Bench = {
  name: "shop-creation",
  title: "Invoices created by shop plugins",
  usesQueues: false,
  async run(lab) {
    const nodes = await simulatedNodes(lab, { lightning: false });
    const apps = ALL_APPS.filter((app) => app !== "lightning-watch");
    const service = await lab.startService({ apps, env: nodes.env });
    const store = await service.openStore();
    const seconds = lab.size(2, 0.3);
    const rounds: Record<keyof typeof WAYS, Round[]> = { plugin: [], native: [] };
    for (const create of Object.values(WAYS)) await create(service, store, lab.size(3, 0.3)); // the code gets warm
    for (let round = 0; round < 4 * lab.rounds; round += 1) {
      const order = round % 2 === 0 ? (["plugin", "native"] as const) : (["native", "plugin"] as const);
      for (const way of order)
        rounds[way].push(await measured(service, () => WAYS[way](service, store, seconds)));
    }
    const all = (way: keyof typeof WAYS, key: keyof Round): number[] => rounds[way].map((one) => one[key]);
    const figures = [
      figure({
        name: "on-chain, one API process",
        unit: "invoices/s",
        ours: all("plugin", "perSecond"),
        raw: { what: NATIVE, rounds: all("native", "perSecond") },
        also: { "p99 ms": medianOf(all("plugin", "p99Ms")), "raw p99 ms": medianOf(all("native", "p99Ms")) },
        aim: { text: "within 10 % of the native API", ratioAtLeast: 0.9 },
      }),
      figure({
        name: "CPU of the API's process for an invoice",
        unit: "ms",
        ours: all("plugin", "cpuMs"),
        raw: { what: NATIVE, rounds: all("native", "cpuMs") },
        aim: { text: "within 10 % of the native API", ratioAtMost: 1.1 },
      }),
    ];
    for (const { unit, ratio } of figures) lab.say(`${unit}: ${ratio?.toFixed(2)} of the native API's`);
    return figures;
  },
};
