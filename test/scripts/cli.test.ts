import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeSecretBox } from "../../adapters/crypto";
import { authenticate } from "../../commands/stores/api-key";
import { createDataSource } from "../../database/data-source";
import { Wallet } from "../../entities/wallet";
import { Store } from "../../entities/store";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import { Webhook } from "../../entities/webhook";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { buildInvoice, newXpub } from "../support/factories";
import { APP_SECRET, cliOn, type Ran, type Run } from "./support";

const CLI = path.join(__dirname, "../../scripts/cli.ts");
const NO_STORE = "1".repeat(44);

/** The real process, as an operator starts it. */
function spawned(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--import", "tsx", CLI, ...args],
      { env: { PATH: process.env["PATH"], ...env }, timeout: 55_000 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

describe("the command line", () => {
  let env: Record<string, string>;
  let cli: Run;
  let db: DataSource;

  async function onDatabase(databaseUrl: string): Promise<void> {
    env = {
      DATABASE_URL: databaseUrl,
      NETWORK: "regtest",
      APP_SECRET,
      PUBLIC_URL: "https://pay.example.com",
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.1/32",
    };
    cli = cliOn(env);
    db = await createDataSource({ databaseUrl, poolMax: 2, applicationName: "test" }).initialize();
  }

  const storeId = async (): Promise<string> =>
    (await cli("store", "create", "--name", "A", "--xpub", newXpub(), "--json")).json<{ storeId: string }>()
      .storeId;

  function refused(ran: Ran, code: string): void {
    expect(ran.code).to.equal(1);
    expect(ran.stdout).to.equal("");
    expect(ran.error().code).to.equal(code);
  }

  beforeEach(async () => onDatabase(await testDatabaseUrl()));
  afterEach(async () => db.destroy());

  describe("migrate", () => {
    beforeEach(async () => {
      await db.destroy();
      await onDatabase(await testDatabaseUrl({ empty: true }));
    });

    it("creates the tables, the queues' tables and the installation row, and does nothing the second time", async () => {
      const { applied } = (await cli("migrate", "--json")).json<{ applied: string[] }>();
      expect(applied).to.include("InitialSchema1795700000001");
      expect(applied.some((name) => name.startsWith("queues-"))).to.equal(true);
      const rows = await db.query<{ network: string }[]>("SELECT network FROM installation");
      expect(rows).to.deep.equal([{ network: "regtest" }]);
      expect((await cli("migrate", "--json")).json()).to.deep.equal({ applied: [] });
    });

    it("refuses a database of another network, before it changes anything", async () => {
      await cli("migrate", "--json");
      await db.query("DROP SCHEMA bullmq CASCADE");
      refused(await cliOn({ ...env, NETWORK: "mainnet" })("migrate", "--json"), "wrong-installation");
      expect(await db.query("SELECT to_regnamespace('bullmq')::text AS queues")).to.deep.equal([
        { queues: null },
      ]);
    });
  });

  describe("user create", () => {
    const create = (...args: string[]): Promise<Ran> => cli("user", "create", ...args, "--json");
    interface Created {
      userId: string;
      url: string;
      expiresAt: string;
    }

    it("creates a user with a link for 15 minutes, of whose token only a hash is stored", async () => {
      await create("--email", "first@example.com"); // an admin in any case
      const { userId, url, expiresAt } = (await create("--email", " Me@Example.com ")).json<Created>();
      expect(url).to.match(/^https:\/\/pay\.example\.com\/setup#[\w-]{43}$/);
      const user = await db.manager.findOneByOrFail(User, { id: userId });
      expect(user).to.include({ email: "me@example.com", admin: false });
      const link = await db.manager.findOneByOrFail(UserLink, { userId });
      expect(link.usedAt).to.equal(null);
      expect(link.expiresAt.toISOString()).to.equal(expiresAt);
      const token = url.split("#").at(-1) ?? "";
      expect(link.tokenHash.equals(createHash("sha256").update(token).digest())).to.equal(true);
      const [row] = await db.query<{ minutes: number }[]>(
        "SELECT extract(epoch FROM expires_at - clock_timestamp())::float / 60 AS minutes FROM user_links WHERE user_id = $1",
        [userId],
      );
      expect(row?.minutes).to.be.within(14, 15);
    });

    it("creates an admin on request, and of the first user", async () => {
      const first = (await create("--email", "first@example.com")).json<Created>();
      expect((await db.manager.findOneByOrFail(User, { id: first.userId })).admin).to.equal(true);
      const { userId } = (await create("--email", "a@example.com", "--admin")).json<Created>();
      expect((await db.manager.findOneByOrFail(User, { id: userId })).admin).to.equal(true);
    });

    it("gives a user whose link was never used a new one, and invalidates the old one", async () => {
      const first = (await create("--email", "a@example.com")).json<Created>();
      const second = (await create("--email", "A@example.com")).json<Created>();
      expect(second.userId).to.equal(first.userId);
      expect(second.url).not.to.equal(first.url);
      expect(await db.manager.count(UserLink)).to.equal(1);
    });

    it("refuses the address of a user who has chosen a password, however long ago", async () => {
      await create("--email", "a@example.com");
      await db.query("UPDATE users SET password_hash = 'x'");
      await db.query("DELETE FROM user_links");
      refused(await create("--email", "a@example.com", "--admin"), "validation-failed");
    });

    it("refuses the address of a user who has logged in", async () => {
      await create("--email", "first@example.com");
      await create("--email", "a@example.com");
      await db.query("UPDATE user_links SET used_at = clock_timestamp()");
      const ran = await create("--email", "a@example.com", "--admin");
      refused(ran, "validation-failed");
      expect(ran.error().message).to.equal("--email: A user with this e-mail address already exists.");
      expect((await db.manager.findOneByOrFail(User, { email: "a@example.com" })).admin).to.equal(false);
    });

    it("refuses what is no address", async () => {
      refused(await create("--email", "me"), "validation-failed");
      expect(await db.manager.count(User)).to.equal(0);
    });

    it("requires PUBLIC_URL, and says so", async () => {
      const { PUBLIC_URL: _, ...rest } = env;
      const ran = await cliOn(rest)("user", "create", "--email", "a@example.com", "--json");
      refused(ran, "configuration");
      expect(ran.error().message).to.contain("PUBLIC_URL is missing");
    });
  });

  for (const [command, kind, minutes] of [
    ["reset", "reset", 30],
    ["link", "login", 15],
  ] as const)
    describe(`user ${command}`, () => {
      it(`makes a link for ${minutes} minutes for an existing user`, async () => {
        const { userId } = (await cli("user", "create", "--email", "a@example.com", "--json")).json<{
          userId: string;
        }>();
        const ran = await cli("user", command, "--email", " A@example.com", "--json");
        const made = ran.json<{ userId: string; url: string; expiresAt: string }>();
        expect(made.userId).to.equal(userId);
        expect(made.url).to.match(/^https:\/\/pay\.example\.com\/setup#[\w-]{43}$/);
        const link = await db.manager.findOneByOrFail(UserLink, { userId, kind });
        expect(link.expiresAt.toISOString()).to.equal(made.expiresAt);
        expect(link.expiresAt.getTime() - Date.now()).to.be.within(
          (minutes - 1) * 60_000,
          (minutes + 1) * 60_000,
        );
        expect(ran.stderr).not.to.include(made.url.slice(-43));
      });

      it("refuses an unknown address, and an invalid one", async () => {
        refused(await cli("user", command, "--email", "nobody@example.com", "--json"), "user-not-found");
        refused(await cli("user", command, "--email", "me", "--json"), "validation-failed");
      });
    });

  describe("store create", () => {
    const create = (...args: string[]): Promise<Ran> =>
      cli("store", "create", "--name", "Shop", ...args, "--json");
    const made = async (...args: string[]): Promise<Store> => {
      const answer = (await create(...args)).json<{ storeId: string }>();
      expect(Object.keys(answer)).to.deep.equal(["storeId"]);
      return db.manager.findOneByOrFail(Store, { id: answer.storeId });
    };

    it("switches Lightning payments on, now or later, and off", async () => {
      const offers = async (storeId: string): Promise<boolean> =>
        db.manager.existsBy(StorePaymentMethod, { storeId, type: "BTC-LN" });
      const { id } = await made("--lightning");
      expect(await offers(id)).to.equal(true);
      const { id: later } = await made();
      expect(await offers(later)).to.equal(false);
      const turn = (...args: string[]): Promise<Ran> => cli("store", "lightning", ...args, "--json");
      expect((await turn("--store", later, "--on")).json()).to.deep.equal({
        storeId: later,
        lightning: true,
      });
      expect(await offers(later)).to.equal(true);
      expect((await turn("--store", later, "--off")).json()).to.deep.equal({
        storeId: later,
        lightning: false,
      });
      expect(await offers(later)).to.equal(false);
      refused(await turn("--store", "nobody", "--on"), "store-not-found");
      refused(await turn("--store", later), "validation-failed");
      refused(await turn("--store", later, "--on", "--off"), "usage");
    });

    it("takes every option", async () => {
      const store = await made(
        ...["--xpub", newXpub(), "--script-type", "tr", "--start-index", "7"],
        ...["--currency", "EUR", "--confirmations", "3"],
      );
      expect(store).to.include({ name: "Shop", defaultCurrency: "EUR", requiredConfirmations: 3 });
      const wallet = await db.manager.findOneByOrFail(Wallet, {});
      expect(wallet).to.include({ scriptType: "tr", nextIndex: 7 });
    });

    it("takes a wallet's file, and the account that is meant of several", async () => {
      const file = path.join(mkdtempSync(path.join(tmpdir(), "wallet-")), "coldcard.json");
      const account = (deriv: string) => ({ deriv, xpub: newXpub() });
      writeFileSync(file, JSON.stringify({ bip84: account("m/84'/1'/0'"), bip86: account("m/86'/1'/0'") }));
      refused(await create("--wallet-file", file), "validation-failed");
      await made("--wallet-file", file, "--script-type", "tr");
      expect(await db.manager.findOneByOrFail(Wallet, {})).to.include({ scriptType: "tr" });
      refused(await create("--wallet-file", `${file}.gone`), "validation-failed");
    });

    const XPUB = newXpub();
    const refusals: [string, string[], string, RegExp][] = [
      ["a key of another network", ["--xpub", newXpub("mainnet")], "validation-failed", /^--xpub: /],
      ["a key that is none", ["--xpub", "tpubNonsense"], "validation-failed", /^--xpub: /],
      ["a descriptor that is none", ["--descriptor", "wsh(x)"], "validation-failed", /^--descriptor: /],
      ["a currency that is none", ["--currency", "usd"], "validation-failed", /^--currency: /],
      ["no confirmations", ["--confirmations", "0"], "validation-failed", /^--confirmations: /],
      [
        "a start index beyond BIP 32",
        ["--xpub", XPUB, "--start-index", "2147483648"],
        "validation-failed",
        /^--start-index: /,
      ],
      ["a start index without a wallet", ["--start-index", "1"], "validation-failed", /^--start-index: /],
      ["a script type without an xpub", ["--script-type", "tr"], "validation-failed", /^--script-type: /],
      [
        "a script type that is none",
        ["--xpub", XPUB, "--script-type", "p2wpkh"],
        "usage",
        /wpkh, tr, sh-wpkh, pkh/,
      ],
      ["an index that is no number", ["--xpub", XPUB, "--start-index", "-1"], "usage", /whole number/],
      ["two wallets", ["--xpub", XPUB, "--descriptor", `wpkh(${XPUB})`], "usage", /cannot be used with/],
      ["an unknown option", ["--xpup", XPUB], "usage", /unknown option '--xpup'/],
    ];
    for (const [what, args, code, message] of refusals)
      it(`refuses ${what}`, async () => {
        const ran = await create(...args);
        refused(ran, code);
        expect(ran.error().message).to.match(message);
        expect(await db.manager.count(Store)).to.equal(0);
      });

    it("does not repeat a private key that was given by mistake", async () => {
      const xprv =
        "tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK";
      const ran = await create("--xpub", xprv);
      refused(ran, "validation-failed");
      expect(ran.stderr).not.to.contain(xprv.slice(4, 40));
    });

    it("refuses a database of another network, without APP_SECRET too", async () => {
      await cli("migrate");
      for (const secret of [APP_SECRET, undefined])
        refused(
          await cliOn({ ...env, NETWORK: "signet", APP_SECRET: secret })(
            "store",
            "create",
            "--name",
            "A",
            "--json",
          ),
          "wrong-installation",
        );
    });
  });

  describe("api-key create", () => {
    it("creates one with less than full access, and refuses an unknown access", async () => {
      const made = ["api-key", "create", "--store", await storeId(), "--name", "reports", "--json"];
      const { apiKey } = (await cli(...made, "--access", "read")).json<{ apiKey: string }>();
      const ctx = await testContext({ db, secrets: makeSecretBox({ appSecret: APP_SECRET }) });
      expect((await authenticate(ctx, apiKey))?.permissions).to.deep.equal(["read"]);
      refused(await cli(...made, "--access", "write"), "usage");
    });
  });

  describe("webhook create", () => {
    const create = async (...args: string[]): Promise<Ran> =>
      cli(
        "webhook",
        "create",
        "--store",
        await storeId(),
        "--url",
        "http://127.0.0.1:4000/hook",
        ...args,
        "--json",
      );

    it("takes the events that are named, and shows the secret", async () => {
      const { webhookId, ...shown } = (await create("--events", "Settled, Expired")).json<{
        webhookId: string;
      }>();
      expect(Object.keys(shown)).to.deep.equal(["secret"]);
      const webhook = await db.manager.findOneByOrFail(Webhook, { id: webhookId });
      expect(webhook.events).to.have.members(["Settled", "Expired"]);
    });

    for (const events of ["Paid", "", "Settled,"])
      it(`refuses the events "${events}"`, async () => refused(await create("--events", events), "usage"));

    it("requires APP_SECRET, and says so", async () => {
      const store = await storeId();
      const ran = await cliOn({ ...env, APP_SECRET: undefined })(
        ...["webhook", "create", "--store", store, "--url", "http://127.0.0.1:4000/", "--json"],
      );
      refused(ran, "configuration");
      expect(ran.error().message).to.contain("APP_SECRET is missing");
    });
  });

  it("webhook redeliver sends one delivery or all failed ones again, and refuses both at once, and neither", async () => {
    const store = await storeId();
    await cli("webhook", "create", "--store", store, "--url", "http://127.0.0.1:1/hook", "--json");
    const ctx = await testContext({ db, secrets: makeSecretBox({ appSecret: APP_SECRET }) });
    const owner = await db.manager.findOneByOrFail(Store, { id: store });
    for (let made = 0; made < 3; made++) await buildInvoice(ctx, { store: owner });
    await db.query("UPDATE webhook_deliveries SET state = 'failed', attempt_count = 1");
    const [one] = await db.manager.find(WebhookDelivery);
    const redeliver = (...args: string[]): Promise<Ran> =>
      cli("webhook", "redeliver", "--store", store, ...args, "--json");
    expect((await redeliver("--delivery", one?.id ?? "")).json()).to.deep.equal({ count: 1 });
    expect((await redeliver("--failed")).json()).to.deep.equal({ count: 2 });
    refused(await redeliver("--delivery", "dlv_nothing"), "delivery-not-found");
    refused(await cli("webhook", "redeliver", "--store", NO_STORE, "--failed", "--json"), "store-not-found");
    refused(await redeliver("--delivery", "x", "--failed"), "usage");
    refused(await redeliver(), "validation-failed");
  });

  describe("wallet skip", () => {
    it("skips the next addresses", async () => {
      const store = await storeId();
      const ran = await cli("wallet", "skip", "--store", store, "--by", "25", "--json");
      expect(ran.json()).to.deep.equal({ nextIndex: 25 });
      expect(await db.manager.findOneByOrFail(Wallet, {})).to.include({ nextIndex: 25 });
    });

    it("refuses an unknown store, one without a wallet, and no addresses", async () => {
      refused(await cli("wallet", "skip", "--store", NO_STORE, "--by", "1", "--json"), "store-not-found");
      const bare = (await cli("store", "create", "--name", "B", "--json")).json<{ storeId: string }>()
        .storeId;
      refused(
        await cli("wallet", "skip", "--store", bare, "--by", "1", "--json"),
        "payment-method-unavailable",
      );
      refused(await cli("wallet", "skip", "--store", bare, "--by", "0", "--json"), "validation-failed");
      refused(await cli("wallet", "skip", "--store", bare, "--by", "x", "--json"), "usage");
    });
  });

  describe("rescan", () => {
    let node: SimulatedNode;
    before(async () => {
      node = await SimulatedNode.start();
    });
    after(async () => node.stop());

    const rescan = (...args: string[]): Promise<Ran> =>
      cliOn({ ...env, BITCOIND_RPC_URL: node.rpcUrl })("rescan", ...args, "--json");

    it("finds a payment that nobody saw, once", async () => {
      const { methods } = await buildInvoice(await testContext({ db }));
      await node.pay(methods[0]?.destination ?? "", 100_000n);
      await node.mine(1);
      const height = await node.rpc<number>("getblockcount");
      const args = ["--from-height", String(height - 3)];
      const found = { fromHeight: height - 3, toHeight: height };
      expect((await rescan(...args)).json()).to.deep.equal({ ...found, payments: 1 });
      expect((await rescan(...args)).json()).to.deep.equal({ ...found, payments: 0 });
    });

    it("refuses a height above the tip, no height, and no node", async () => {
      refused(await rescan("--from-height", "99999999"), "validation-failed");
      refused(await rescan("--from-height", "x"), "usage");
      refused(await rescan(), "usage");
      refused(await cli("rescan", "--from-height", "1", "--json"), "unavailable");
    });

    it("says that the node is away", async () => {
      const away = cliOn({ ...env, BITCOIND_RPC_URL: "http://me:hunter22@127.0.0.1:1" });
      const ran = await away("rescan", "--from-height", "1", "--json");
      refused(ran, "node-unavailable");
      expect(ran.stderr).not.to.contain("hunter22");
    });
  });

  describe("lightning", () => {
    it("connects a store's own LND, checks it again, removes and forgets it, and refuses a macaroon that can spend", async () => {
      const lnd = await SimulatedLnd.start();
      try {
        Object.assign(env, { LIGHTNING_ALLOWED_CIDRS: "127.0.0.1/32" });
        const store = await storeId();
        const dir = mkdtempSync(path.join(tmpdir(), "quittance-cli-"));
        const [cert, admin, own] = ["tls.cert", "admin.macaroon", "own.macaroon"].map((name) =>
          path.join(dir, name),
        );
        writeFileSync(cert ?? "", lnd.grpc.tlsCert);
        writeFileSync(admin ?? "", lnd.grpc.adminMacaroon);
        writeFileSync(own ?? "", lnd.grpc.quittanceMacaroon);
        const connect = (macaroon = "") =>
          cli(
            ...["lightning", "connect", "--store", store, "--address", lnd.grpc.url, "--json"],
            ...["--cert-file", cert ?? "", "--macaroon-file", macaroon],
          );
        const watched = await cli(
          ...["lightning", "connect", "--store", store, "--address", lnd.grpc.url],
          ...["--cert-file", cert ?? "", "--macaroon-file", admin ?? ""],
        );
        expect(watched.stderr.match(/bakemacaroon/g), watched.stderr).to.have.length(1);
        expect(watched.stderr).to.match(/^FAILED +macaroon\nvalidation-failed: --macaroon-file: /);
        const spends = await connect(admin);
        refused(spends, "validation-failed");
        expect(spends.error().message).to.match(/^--macaroon-file: .*bakemacaroon/);
        const connected = await connect(own);
        expect(connected.json()).to.deep.equal({ storeId: store });
        expect(connected.stderr, "the alert's line is the service's").to.equal("");
        const checked = await cli("lightning", "check", "--store", store, "--json");
        expect(checked.json<{ ok: boolean; steps: object[] }>()).to.include({ ok: true });
        const removed = await cli("lightning", "remove", "--store", store);
        expect([removed.code, removed.stderr]).to.deep.equal([0, ""]);
        const forgotten = await cli("lightning", "forget", "--store", store, "--json");
        expect(forgotten.json()).to.deep.equal({ storeId: store, invoices: [] });
        const former = "SELECT state, macaroon FROM lightning_nodes WHERE store_id = $1";
        expect(await db.query(former, [store])).to.deep.equal([{ state: "retired", macaroon: null }]);
        refused(
          await cli("lightning", "check", "--store", await storeId(), "--json"),
          "payment-method-not-found",
        );

        const der = Buffer.from(lnd.grpc.tlsCert.replace(/-----[^-]+-----|\s/g, ""), "base64");
        const create = (macaroon: Buffer) => {
          const access = `cert=${der.toString("base64url")}&macaroon=${macaroon.toString("base64url")}`;
          const uri = `lndconnect://${lnd.grpc.url}?${access}`;
          return cli("store", "create", "--name", "Own LND", "--lndconnect", uri, "--json");
        };
        const created = (await create(lnd.grpc.quittanceMacaroon)).json<{ storeId: string }>();
        const again = await cli("lightning", "check", "--store", created.storeId, "--json");
        expect(again.json<{ ok: boolean }>()).to.include({ ok: true });
        refused(await create(lnd.grpc.adminMacaroon), "validation-failed");
        const stores = await db.query<object[]>("SELECT FROM stores WHERE name = 'Own LND'");
        expect(stores, "none is left of a node that fails").to.have.length(1);
      } finally {
        await lnd.stop();
      }
    });
  });

  describe("chain accept", () => {
    it("accepts a chain at which chain-watch has stopped, repeatedly, and no other", async () => {
      const hash = "ab".repeat(32);
      await db.query(
        "INSERT INTO other_chains (hash, height, found_at) VALUES ($1, 500000, clock_timestamp())",
        [hash],
      );
      for (let times = 0; times < 2; times += 1) {
        const ran = await cli("chain", "accept", "--hash", hash, "--json");
        expect(ran.json()).to.deep.equal({ fromHeight: 500_000, toHeight: 500_000 });
      }
      refused(await cli("chain", "accept", "--hash", "cd".repeat(32), "--json"), "validation-failed");
      refused(await cli("chain", "accept", "--json"), "usage");
    });
  });

  describe("retry set-aside", () => {
    it("requests another try of everything that is set aside, and says how many", async () => {
      expect((await cli("retry", "set-aside", "--json")).json()).to.deep.equal({ count: 0 });
      await db.query(
        `INSERT INTO set_aside (txid, failed_at, error) VALUES ('aa', now(), 'x'), ('bb', now(), 'x')`,
      );
      expect((await cli("retry", "set-aside", "--json")).json()).to.deep.equal({ count: 2 });
      expect(await db.query(`SELECT txid FROM set_aside WHERE retry_asked ORDER BY 1`)).to.deep.equal([
        { txid: "aa" },
        { txid: "bb" },
      ]);
      await db.query(`DELETE FROM set_aside`);
    });
  });

  describe("as text", () => {
    it("is the output without --json", async () => {
      const ran = await cli("store", "create", "--name", "A");
      expect(ran.stdout).to.match(/^Store ID: \w{44}\n$/);
      expect(ran.stderr).to.equal("");
    });

    it("shows help for the whole and for a command, with exit code 0", async () => {
      for (const args of [["--help"], ["store", "create", "--help"]]) {
        const ran = await cli(...args);
        expect(ran.code).to.equal(0);
        expect(ran.stdout).to.contain("Usage: npm run -s cli --").and.contain("--json");
      }
    });
  });

  describe("as a process", () => {
    it("prints one JSON object and nothing else on stdout, and ends", async () => {
      const { code, stdout, stderr } = await spawned(env, "store", "create", "--name", "A", "--json");
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      expect(stdout.trim().split("\n")).to.have.length(1);
      expect(JSON.parse(stdout)).to.have.keys("storeId");
    });

    it("ends with 1 and the error on stderr when the database is away", async () => {
      const away = { ...env, DATABASE_URL: "postgres://me:hunter22@127.0.0.1:1/x" };
      const { code, stdout, stderr } = await spawned(away, "store", "create", "--name", "A", "--json");
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
      expect(JSON.parse(stderr)).to.have.nested.property("error.code", "unavailable");
      expect(stderr).not.to.contain("hunter22");
    });

    it("names every missing setting", async () => {
      const { code, stderr } = await spawned({}, "migrate", "--json");
      expect(code).to.equal(1);
      const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
      expect(error.code).to.equal("configuration");
      expect(error.message).to.contain("DATABASE_URL").and.contain("NETWORK").and.contain("APP_SECRET");
    });
  });
});
