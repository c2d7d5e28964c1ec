import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { holdWhileRead, Places } from "../../../api/http/places";
import { eventually } from "../../support/eventually";

const HERE = new AbortController().signal;

describe("the places for large answers", () => {
  function follow(places: Places, who: string, gone = HERE) {
    const seen: { state: string; release: () => void } = { state: "waiting", release: () => undefined };
    places.take(who, gone).then(
      (release) => Object.assign(seen, { state: "taken", release }),
      (error: { code: string }) => Object.assign(seen, { state: error.code }),
    );
    return seen;
  }
  const placesOf = (waitMs: number) => new Places({ of: "lists", total: 3, ofOne: 2, waitMs });
  const statesOf = async (all: readonly { state: string }[]): Promise<string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return all.map(({ state }) => state);
  };

  it("are given to a store up to its share, and in turn to those that wait", async () => {
    const places = placesOf(60_000);
    const gone = new AbortController();
    const all = ["a", "a", "a", "a", "b", "b", "c"].map((who, at) =>
      follow(places, who, at === 2 ? gone.signal : HERE),
    );
    const [T, W, L] = ["taken", "waiting", "rate-limited"];
    expect(await statesOf(all)).to.deep.equal([T, T, W, W, T, W, W]);
    gone.abort();
    all[4]?.release();
    all[4]?.release();
    expect(await statesOf(all), "given back twice is one place").to.deep.equal([T, T, L, W, T, T, W]);
    all[0]?.release();
    expect(await statesOf(all)).to.deep.equal([T, T, L, T, T, T, W]);
  });

  it("are refused with rate-limited to a store that has its share, with unavailable to another", async () => {
    const places = placesOf(20);
    const all = ["a", "a", "b", "a", "c"].map((who) => follow(places, who));
    await eventually(async () =>
      expect((await statesOf(all)).slice(3)).to.deep.equal(["rate-limited", "unavailable"]),
    );
  });

  it("are refused at once to a store of which a hundred wait", async () => {
    const places = placesOf(60_000);
    const gone = new AbortController();
    const all = Array.from({ length: 103 }, () => follow(places, "a", gone.signal));
    expect((await statesOf(all)).slice(-2)).to.deep.equal(["waiting", "rate-limited"]);
    gone.abort();
  });

  it("are taken from a reader that takes little by little for too long", async () => {
    const places = new Places({ of: "lists", total: 1, ofOne: 1, waitMs: 20 });
    const server = createServer((req, res) => {
      void holdWhileRead(places, "slow", { req, res }, 200).then(() => {
        const drip = setInterval(() => res.write("a little"), 10);
        res.once("close", () => clearInterval(drip));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const cut = new Promise((resolve) => {
      get({ port, host: "127.0.0.1" }, (response) => {
        expect(follow(places, "other").state).to.equal("waiting");
        response.resume().once("error", resolve);
      });
    });
    await cut;
    await eventually(() => places.take("other", HERE));
    server.close();
  });
});
