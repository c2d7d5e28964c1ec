import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { freePort } from "../../devnet/free-port";
import { type Bench, figure } from "../bench";
import { ROOT } from "../build";
import { pause, send } from "../parts";
import { endChild } from "../service";

/** From its start until it answers with 200, in ms. */
async function untilAnswer(
  url: string,
  headers: Readonly<Record<string, string>>,
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const begin = performance.now();
  const child = spawn(process.execPath, [file], { cwd: ROOT, env, stdio: "ignore" });
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${file} ended`);
      const status = await send(url, "GET", headers).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return performance.now() - begin;
      await pause(5);
    }
  } finally {
    await endChild(child);
  }
}

const BARE = `const Koa = require("koa");
const app = new Koa();
app.use((koa) => { koa.body = {}; });
app.listen(Number(process.env.PORT), "127.0.0.1");
`;

export const startUp: Bench = {
  name: "start-up",
  title: "The API's start",
  usesQueues: false,
  async run(lab) {
    const service = await lab.startService({ apps: [] });
    const { storeId, apiKey } = await service.openStore();
    const url = `${service.base}/api/v1/stores/${storeId}/invoices`; // 503 until the database is reached
    const bareFile = path.join(ROOT, ".bench/bare-koa.cjs");
    writeFileSync(bareFile, BARE);
    const barePort = await freePort();
    const bareEnv = { ...process.env, PORT: String(barePort) };
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < lab.size(5, 1); round += 1) {
      ours.push(await untilAnswer(url, { "x-api-key": apiKey }, service.file("api"), service.environment()));
      bare.push(await untilAnswer(`http://127.0.0.1:${barePort}/`, {}, bareFile, bareEnv));
    }
    return [
      figure({
        name: "from its start to its first answer out of the database",
        unit: "ms",
        ours,
        raw: { what: "a bare Koa route", rounds: bare },
        aim: { text: "< 2 s", atMost: 2_000 },
      }),
    ];
  },
};
