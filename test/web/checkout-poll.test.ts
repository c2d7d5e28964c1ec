import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { makePoll } from "../../web/checkout/poll";
import type { State } from "../../web/checkout/state";
import { eventually } from "../support/eventually";

describe("the checkout's script polls", () => {
  it("again, when the answer does not come: the connection may be dead", async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked += 1;
      if (asked > 1) answer.end(JSON.stringify({ version: "2" }));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const told = await new Promise<string[]>((done) => {
        const news: string[] = [];
        const heard = ({ version }: State): void => done([...news, version]);
        const failed = (times: number): void => {
          news.push(`failed ${times}`);
          setTimeout(() => poll.ask());
        };
        const poll = makePoll(url, { heard, failed }, 100);
        poll.ask();
      });
      expect(told[0]).to.equal("failed 1");
      // On a busy machine the answer may come too late as well, and is asked for again.
      expect(told).to.deep.equal([...told.slice(1).map((_, at) => `failed ${at + 1}`), "2"]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("beside a stream: after a hint that came during a request, and once the time is up", async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked += 1;
      if (asked === 1) poll.ask();
      answer.end(
        JSON.stringify({ version: String(asked), phase: "waiting", secondsLeft: asked > 2 ? null : 0 }),
      );
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const heard: string[] = [];
    const poll = makePoll(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      heard: ({ version }) => heard.push(version),
      failed: () => undefined,
    });
    try {
      poll.ask();
      poll.keep("rarely");
      await eventually(() => heard.length === 3);
      expect(heard).to.deep.equal(["1", "2", "3"]);
    } finally {
      poll.keep("never");
      server.closeAllConnections();
      server.close();
    }
  });
});
