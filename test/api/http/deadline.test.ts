import { expect } from "chai";
import Koa from "koa";
import { randomId } from "../../../adapters/crypto";
import { listen } from "../../../api/listen";
import { deadline } from "../../../api/http/middleware/deadline";
import { problems } from "../../../api/http/middleware/problems";
import { requestId } from "../../../api/http/middleware/request-id";
import type { ApiState } from "../../../api/http/state";
import { recordingLog } from "../../support/context";
import { expectRefused, send } from "../server";

describe("API: the time limit of a request", () => {
  it("answers 503 and ignores a later result", async () => {
    const app = new Koa<ApiState>();
    let finished: (() => void) | undefined;
    const late = new Promise<void>((resolve) => (finished = resolve));
    app.use(requestId(randomId)).use(problems(recordingLog().log)).use(deadline(30));
    app.use(async (koa) => {
      if (koa.path === "/slow") await late;
      koa.body = "done";
    });
    const listening = await listen(app.callback(), { host: "127.0.0.1", port: 0 });
    const base = `http://127.0.0.1:${listening.port}`;
    const slow = await send(base, "GET", "/slow");
    expectRefused(slow, 503, "unavailable");
    finished?.();
    const quick = await send(base, "GET", "/quick");
    expect([quick.status, quick.text]).to.deep.equal([200, "done"]);
    await listening.close();
  });
});
