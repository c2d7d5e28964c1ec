import { getEventListeners } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { goneSignal } from "../../../api/live/answer-events";
import { makeReadUntilFound } from "../../../api/live/read-until-found";
import { holdWhileRead, Places } from "../../../api/http/places";

describe("a read that waits until there is something", () => {
  it("looks every few seconds, since a notification may be lost", async () => {
    const changes = { watch: () => () => undefined };
    const readUntilFound = makeReadUntilFound({ changes, stopping: new AbortController().signal });
    let looks = 0;
    const wait = { storeId: "store", waitMs: 60_000, gone: new AbortController().signal };
    const began = performance.now();
    const found = await readUntilFound(wait, async () => ((looks += 1) > 1 ? ["event"] : []));
    expect(found).to.deep.equal(["event"]);
    expect(performance.now() - began).to.be.below(30_000);
  });

  it("leaves nothing behind at the request each time it looks", async () => {
    const places = new Places({ of: "lists", total: 3, ofOne: 1, waitMs: 1_000 });
    const left = new Promise<[number, number]>((resolve, reject) => {
      const server = createServer((req, res) => {
        void (async () => {
          for (let looks = 0; looks < 20; looks += 1)
            (await holdWhileRead(places, "who", { req, res }, 60_000))();
          resolve([res.listenerCount("close"), getEventListeners(goneSignal({ req, res }), "abort").length]);
          res.end();
          server.close();
        })().catch(reject);
      }).listen(0, "127.0.0.1", () => get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    });
    const [closes, aborts] = await left;
    expect(closes).to.be.at.most(2);
    expect(aborts).to.equal(0);
  });
});
