import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { RateUnavailableError } from "../../../domain/money/rate";
import { isFiat } from "../../../domain/money/currencies";
import { RATE_SOURCES, type RateSourceName } from "../../../domain/money/rate-sources";
import { eventually } from "../../support/eventually";
import type { Answer } from "../../support/receiver";
import { answering, json, recorded, startExchanges, type Exchanges } from "./exchange-servers";
import { failureOf } from "../../support/refusal";

const refusal = (work: Promise<unknown>) => failureOf(work, RateUnavailableError);

const html = (status = 200): Answer => ({
  kind: "status",
  status,
  body: "<html>Attention required</html>",
  headers: { "Content-Type": "text/html; charset=UTF-8" },
});

describe("exchange rates", () => {
  let all: Exchanges;
  beforeEach(async () => (all = await startExchanges()));
  afterEach(() => all.close());

  it("are the median of the exchanges' answers, in their own formats", async () => {
    all.answer("kraken", json(recorded("kraken-usd")));
    all.answer("coinbase", json(recorded("coinbase-usd")));
    all.answer("bitstamp", json(recorded("bitstamp-usd")));
    all.answer("bitfinex", json(recorded("bitfinex-usd")));
    expect(await all.rates.quote("USD")).to.deep.equal({
      value: "82998.95", // of 82968, 82986, 82998.95, 83010.455 and 83020.61
      sources: [...RATE_SOURCES],
      at: "2025-11-21T08:39:40.123Z", // Yadio's table is the oldest
      ageSeconds: 29,
    });
  });

  for (const [source, prices] of Object.entries({
    kraken: ["kraken-usd", "82998.95"],
    coinbase: ["coinbase-usd", "83010.455"],
    bitstamp: ["bitstamp-usd", "82986"],
    bitfinex: ["bitfinex-usd", "82968"],
    yadio: ["yadio", "83020.61"],
  } as const satisfies Record<RateSourceName, readonly [string, string]>))
    it(`read ${source}'s answer`, async () => {
      const [fixture, price] = prices;
      const other = source === "coinbase" ? "kraken" : "coinbase";
      all.answer(source as RateSourceName, json(recorded(fixture)));
      all.answer(other, answering(other, price));
      const quote = await all.rates.quote("USD", [source, other]);
      expect(quote.value).to.equal(price);
      expect(quote.sources).to.have.members([source, other]);
    });

  it("come from those that trade a pair, under Kraken's other names too", async () => {
    all.answer("kraken", json(recorded("kraken-chf")), "CHF");
    all.answer("coinbase", json(recorded("coinbase-chf")), "CHF");
    const quote = await all.rates.quote("CHF");
    expect(quote).to.deep.include({ value: "69467.7", sources: ["kraken", "coinbase", "yadio"] });
  });

  it("are requested with this program's name, as JSON", async () => {
    all.allAnswer("60000");
    await all.rates.quote("USD");
    expect(all.headersTo("kraken")).to.include({
      "user-agent": "Quittance/test",
      accept: "application/json",
    });
  });

  describe("exclude a source's answer, and are available without it, when it", () => {
    const bad: Record<string, Partial<Record<RateSourceName, Answer>>> = {
      "is refused with 403": { kraken: html(403), coinbase: json("{}", 403) },
      "is refused with 429": { bitfinex: json('{"error":"ERR_RATE_LIMIT"}', 429) },
      "is an error of the server": { bitstamp: html(503), coinbase: json('{"errors":[]}', 500) },
      "is Kraken's failure with status 200": { kraken: json('{"error":["EService:Unavailable"]}') },
      "is not JSON": { kraken: json("{"), coinbase: json("") },
      "is JSON with the type of a page": { kraken: { ...html(), body: recorded("kraken-usd") } as Answer },
      "is empty": { kraken: json("{}"), bitfinex: json("[]"), yadio: json("null"), bitstamp: json("[]") },
      "bids more than it asks": {
        kraken: json(
          '{"error":[],"result":{"XXBTZUSD":{"a":["60000.0","1","1.0"],"b":["60001.0","1","1.0"]}}}',
        ),
        bitstamp: json('{"timestamp":"1763714400","bid":"60001","ask":"60000"}'),
        bitfinex: json("[60001,1,60000,1,0,0,60000,1,1,1]"),
      },
      "names another pair": {
        kraken: json('{"error":[],"result":{"XETHZUSD":{"a":["60000","1","1"],"b":["60000","1","1"]}}}'),
        coinbase: json('{"data":{"amount":"60000","base":"ETH","currency":"USD"}}'),
      },
      "answers in another currency": {
        coinbase: json('{"data":{"amount":"60000","base":"BTC","currency":"EUR"}}'),
        kraken: json('{"error":[],"result":{"XXBTZEUR":{"a":["60000","1","1"],"b":["60000","1","1"]}}}'),
      },
      "has a price of zero": { coinbase: answering("coinbase", "0"), bitfinex: answering("bitfinex", "0") },
      "has a negative price": {
        coinbase: answering("coinbase", "-60000"),
        bitfinex: answering("bitfinex", "-1"),
      },
      "has a price that is no number": {
        coinbase: answering("coinbase", "NaN"),
        bitstamp: answering("bitstamp", "-"),
        yadio: json('{"BTC":{"USD":"sixty"},"base":"BTC","timestamp":1763714400000}'),
      },
      "has a price beyond all measure": {
        coinbase: answering("coinbase", "9".repeat(300)),
        bitfinex: json("[1e400,1,1e400,1,0,0,1,1,1,1]"),
        yadio: json('{"BTC":{"USD":1e300},"base":"BTC","timestamp":1763714400000}'),
      },
      "has a price of yesterday": {
        yadio: json('{"BTC":{"USD":60000},"base":"BTC","timestamp":1763628000000}'),
        bitstamp: json('{"timestamp":"1763628000","bid":"60000","ask":"60000"}'),
      },
      "leads elsewhere": {
        kraken: { kind: "status", status: 302, headers: { Location: "http://127.0.0.1:1/" } },
      },
      "breaks off": { bitstamp: { kind: "reset" } },
      "is endless": { kraken: json(`[${"1,".repeat(200_000)}1]`) },
      "is 10 % off": { kraken: answering("kraken", "66000") },
    };
    async function leaveOut(among: Exchanges, source: RateSourceName, given: Answer, warnings: number) {
      among.allAnswer("60000");
      among.answer(source, given);
      const quote = await among.rates.quote("USD");
      expect(quote.value).to.equal("60000");
      expect(quote.sources).to.deep.equal(RATE_SOURCES.filter((name) => name !== source));
      expect(
        among.lines.filter(({ level, fields }) => level === "warn" && fields["source"] === source),
      ).to.have.length(warnings);
    }
    for (const [what, answers] of Object.entries(bad))
      for (const [source, given] of Object.entries(answers))
        it(`${what} (${source})`, () =>
          leaveOut(all, source as RateSourceName, given, what === "is 10 % off" ? 0 : 1));

    const endless: Record<string, Answer> = {
      "never comes": { kind: "hang" },
      "comes a byte at a time": { kind: "drip", everyMs: 20 },
    };
    for (const [what, given] of Object.entries(endless))
      it(what, async () => {
        const hasty = await startExchanges({ deadlineMs: 10_000 }); // time enough for the other sources
        try {
          await leaveOut(hasty, "bitstamp", given, 1);
        } finally {
          await hasty.close();
        }
      });
  });

  it("are unavailable when only one source answers, and the error says what to do", async () => {
    for (const name of RATE_SOURCES) all.answer(name, html(503));
    all.answer("kraken", answering("kraken", "60000"));
    const error = await refusal(all.rates.quote("USD"));
    expect(error).to.include({ code: "rate-unavailable", why: "away" });
    expect(error.message).to.match(/Try again in a minute, or use BTC or SATS/);
  });

  it("are unavailable for good when fewer than two trade the pair, and its sources are not asked again for an hour", async () => {
    all.answer("coinbase", answering("coinbase", "600000", "SEK"), "SEK");
    const error = await refusal(all.rates.quote("SEK"));
    expect(error.why).to.equal("not-traded");
    expect(error.message).to.match(/Use another currency/);
    all.pass(3_000);
    await refusal(all.rates.quote("SEK"));
    expect(all.asked("kraken", "SEK")).to.equal(1);
    all.pass(700);
    await refusal(all.rates.quote("SEK"));
    expect(all.asked("kraken", "SEK")).to.equal(2);
  });

  it("come from the store's chosen sources only", async () => {
    all.allAnswer("60000");
    all.answer("bitstamp", answering("bitstamp", "60100"));
    all.answer("kraken", answering("kraken", "60300"));
    expect(await all.rates.quote("USD", ["kraken", "bitstamp"])).to.deep.include({
      value: "60200",
      sources: ["kraken", "bitstamp"],
    });
    expect((await refusal(all.rates.quote("USD", ["kraken"]))).why).to.equal("not-traded");
    expect((await refusal(all.rates.quote("USD", ["gone", "kraken"]))).why).to.equal("not-traded");
  });

  it("ask all exchanges at once, and each once for all that wait", async () => {
    for (const name of RATE_SOURCES) all.answer(name, { kind: "hang" });
    const refused = Array.from({ length: 20 }, () => refusal(all.rates.quote("USD")));
    await eventually(() => {
      for (const name of RATE_SOURCES) expect(all.asked(name), name).to.equal(1); // while the others hang
    });
    await all.close();
    await Promise.all(refused);
    for (const name of RATE_SOURCES) expect(all.asked(name), name).to.equal(1);
  });

  it("answer by the deadline when every exchange hangs, and without asking while those are paused", async () => {
    const hasty = await startExchanges({ deadlineMs: 300 });
    try {
      for (const name of RATE_SOURCES) hasty.answer(name, { kind: "hang" });
      const startedAt = performance.now();
      await refusal(hasty.rates.quote("USD"));
      expect(performance.now() - startedAt).to.be.at.least(290);
      const asked = RATE_SOURCES.map((name) => hasty.asked(name));
      expect((await refusal(hasty.rates.quote("USD"))).why).to.equal("away");
      expect(RATE_SOURCES.map((name) => hasty.asked(name))).to.deep.equal(asked);
    } finally {
      await hasty.close();
    }
  });

  it("wait no longer than 3 s by default", async () => {
    const hasty = await startExchanges({ deadlineMs: "default" });
    try {
      for (const name of RATE_SOURCES) hasty.answer(name, { kind: "hang" });
      const refused = refusal(hasty.rates.quote("USD"));
      // Timers end in their order, however long the machine stands still; what followed from the first comes next.
      const late = sleep(3_000).then(() => sleep(200, "3 s later"));
      const first = await Promise.race([refused.then(() => "refused"), late]);
      expect(first).to.equal("refused");
    } finally {
      await hasty.close();
    }
  });

  it("are kept for 30 s without another request", async () => {
    all.allAnswer("60000");
    await all.rates.quote("USD");
    all.pass(30);
    expect(await all.rates.quote("USD")).to.include({ value: "60000", ageSeconds: 30 });
    for (const name of RATE_SOURCES) expect(all.asked(name), name).to.equal(1);
  });

  it("are served at once when they are older, and refreshed in the background", async () => {
    all.allAnswer("60000");
    await all.rates.quote("USD");
    all.pass(200);
    let letGo = (): void => undefined;
    const holdUntil = new Promise<void>((resolve) => (letGo = resolve));
    all.answer("kraken", { ...answering("kraken", "61000"), holdUntil } as Answer);
    expect((await all.rates.quote("USD")).value).to.equal("60000"); // a wait for Kraken would not end
    letGo();
    all.answer("coinbase", answering("coinbase", "61000"));
    await eventually(async () => {
      expect(all.asked("kraken")).to.equal(2);
      expect((await all.rates.quote("USD", ["kraken", "coinbase", "bitfinex"])).ageSeconds).to.equal(0);
    });
  });

  it("are served for five minutes while all exchanges are away, and not a second longer", async () => {
    all.allAnswer("60000");
    await all.rates.quote("USD");
    for (const name of RATE_SOURCES) all.answer(name, html(503));
    all.pass(300);
    expect(await all.rates.quote("USD")).to.include({ value: "60000", ageSeconds: 300 });
    all.pass(1);
    expect((await refusal(all.rates.quote("USD"))).why).to.equal("away");
  });

  it("are not served when the clock was set back, because their age is unknown", async () => {
    all.allAnswer("60000");
    await all.rates.quote("USD");
    for (const name of RATE_SOURCES) all.answer(name, html(503));
    all.pass(-3_600);
    await refusal(all.rates.quote("USD"));
  });

  it("pause a failed source for 5 s, then for twice as long each time, and log the failure once", async () => {
    all.allAnswer("60000");
    all.answer("kraken", html(503));
    await all.rates.quote("USD", ["coinbase", "kraken"]).catch(() => null);
    const asks = async (): Promise<number> => {
      await all.rates.quote("USD", ["kraken"]).catch(() => null);
      return all.asked("kraken");
    };
    expect(await asks()).to.equal(1);
    all.pass(4.9);
    expect(await asks()).to.equal(1);
    all.pass(0.2);
    expect(await asks()).to.equal(2);
    all.pass(9.9);
    expect(await asks()).to.equal(2);
    all.pass(0.2);
    expect(await asks()).to.equal(3);
    const told = () =>
      all.lines.filter(({ fields }) => fields["source"] === "kraken").map(({ level }) => level);
    expect(told()).to.deep.equal(["warn"]);
    all.answer("kraken", answering("kraken", "60000"));
    all.pass(60);
    expect(await asks()).to.equal(4);
    expect(told()).to.deep.equal(["warn", "info"]);
  });

  it("pause a source for as long as its Retry-After says, up to ten minutes", async () => {
    all.allAnswer("60000");
    const limited = {
      ...json("{}", 429),
      headers: { "Content-Type": "application/json", "Retry-After": "120" },
    };
    all.answer("kraken", limited);
    await all.rates.quote("USD");
    all.pass(119);
    await all.rates.quote("USD");
    expect(all.asked("kraken")).to.equal(1);
    all.pass(2);
    all.answer("kraken", {
      ...limited,
      headers: { ...limited.headers, "Retry-After": "99999999" },
    } as Answer);
    await eventually(async () => {
      await all.rates.quote("USD");
      expect(all.asked("kraken")).to.equal(2);
    });
    // When the answer has been read is not to be seen: ten minutes pass after it too.
    await eventually(async () => {
      all.pass(601);
      await all.rates.quote("USD").catch(() => null);
      expect(all.asked("kraken")).to.be.at.least(3);
    });
  });

  it("ask a source for its other pairs when its answer for one is invalid", async () => {
    all.allAnswer("60000");
    all.allAnswer("55000", "EUR");
    all.answer("kraken", answering("kraken", "0"));
    await all.rates.quote("USD");
    expect((await all.rates.quote("EUR")).sources).to.include("kraken");
  });

  it("do not ask a source that is away for its other pairs", async () => {
    all.allAnswer("60000");
    all.allAnswer("55000", "EUR");
    all.answer("kraken", html(403));
    await all.rates.quote("USD");
    await all.rates.quote("EUR");
    expect(all.asked("kraken", "EUR")).to.equal(0);
  });

  describe("while one client uses all currencies", () => {
    const OTHERS = Intl.supportedValuesOf("currency").filter((code) => isFiat(code) && code !== "USD");
    const EXCHANGES = RATE_SOURCES.filter((name) => name !== "yadio");
    const table = (currencies: readonly string[]): Answer =>
      json(
        JSON.stringify({
          BTC: Object.fromEntries(currencies.map((currency) => [currency, 60_000])),
          base: "BTC",
          timestamp: 1_763_714_410_000,
        }),
      );
    const useAll = () => Promise.allSettled(OTHERS.map((currency) => all.rates.quote(currency)));
    beforeEach(() => {
      expect(OTHERS).to.have.length.above(140);
      for (const currency of ["USD", ...OTHERS]) all.allAnswer("60000", currency);
      all.answer("yadio", table(["USD", ...OTHERS]));
    });

    it("ask Yadio once for all of them", async () => {
      await useAll();
      expect(all.requests("yadio")).to.equal(1);
    });

    it("ask every other source for twenty new pairs a minute", async () => {
      await useAll();
      for (const source of EXCHANGES) expect(all.requests(source), source).to.equal(20);
      all.pass(29);
      await useAll();
      for (const source of EXCHANGES) expect(all.requests(source), source).to.equal(20);
      all.pass(31);
      await useAll();
      const fresh = OTHERS.slice(20, 40);
      for (const source of EXCHANGES)
        expect(
          fresh.map((currency) => all.asked(source, currency)),
          source,
        ).to.deep.equal(fresh.map(() => 1));
    });

    it("say of a currency whose turn has not come that it waits, and not that sources are away", async () => {
      all.answer("yadio", html(503));
      const last = OTHERS.at(-1) ?? "";
      await useAll();
      const error = await refusal(all.rates.quote(last));
      expect(error.why).to.equal("waiting");
      expect(error.message).to.match(/^No exchange rate for \w+ yet: /);
    });

    it("refresh those in use before their prices are too old, and ask no source more than 80 times a minute", async () => {
      await all.rates.quote("USD");
      const minutes = 4;
      for (let seconds = 0; seconds < minutes * 60; seconds += 10) {
        await useAll();
        const { sources } = await all.rates.quote("USD");
        expect(sources, `after ${seconds} s`).to.deep.equal([...RATE_SOURCES]);
        all.pass(10);
      }
      for (const source of RATE_SOURCES) {
        expect(all.requests(source), source).to.be.at.most(minutes * 80);
        expect(all.asked(source), source).to.be.at.least(2);
      }
    });
  });

  it("ask only sources that the operator configured", async () => {
    const two = await startExchanges({ sources: ["kraken", "coinbase"] });
    try {
      two.allAnswer("60000");
      expect((await two.rates.quote("USD")).sources).to.deep.equal(["kraken", "coinbase"]);
      expect(two.asked("bitfinex")).to.equal(0);
    } finally {
      await two.close();
    }
  });
});
