import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeBitcoindRpc } from "../../../adapters/bitcoind/rpc";
import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import { readServerInfo } from "../../../commands/installation/read-server-info";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { serverNode } from "../../support/lightning";

describe("read-server-info", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => {
    db = await testDatabase();
    // Never called: what the server reports comes from the database.
    ctx = await testContext({
      db,
      chain: makeBitcoindRpc({ url: "http://127.0.0.1:1", cookieFile: undefined }),
    });
  });
  after(() => db.destroy());

  it("says whether Lightning is configured, and nothing of what it holds", async () => {
    const lightning = makeLndClient({
      address: "127.0.0.1:1",
      certificate: { hex: "00" },
      macaroon: { hex: "00" },
    });
    const both = { ...ctx, lightning: serverNode(lightning) };
    const bare = { type: "BTC-LN", nodeHeight: null, height: null, lagBlocks: null } as const;
    expect((await readServerInfo(both)).rails[1]).to.deep.equal({
      ...{ ...bare, synchronized: false, lagSeconds: null, problem: "LND has not been checked yet." },
    });
    await db.query(
      `UPDATE lightning_nodes SET caught_up_to = now() - interval '20 seconds', checked_at = now(),
              synchronized = true, receivable_sats = 5000`,
    );
    const { paymentMethods, rails } = await readServerInfo(both);
    expect(paymentMethods).to.deep.equal(["BTC-CHAIN", "BTC-LN"]);
    expect(rails[1]).to.deep.include({ ...bare, synchronized: true, problem: null });
    expect(rails[1]?.lagSeconds).to.be.within(20, 80);
    lightning.close();
  });

  it("reports the node's progress, and how far behind it we are", async () => {
    await db.query(
      `INSERT INTO payment_method_syncs (type, caught_up_to, checked_at, synchronized, node_height)
       VALUES ('BTC-CHAIN', now() - interval '90 seconds', now(), true, 105)`,
    );
    await db.query("INSERT INTO chain_blocks (height, hash, previous_hash) VALUES (103, 'b', 'a')");
    const { paymentMethods, network, rails } = await readServerInfo(ctx);
    expect({ paymentMethods, network }).to.deep.equal({ paymentMethods: ["BTC-CHAIN"], network: "regtest" });
    const [info] = rails;
    expect(info).to.deep.include({
      synchronized: true,
      nodeHeight: 105,
      height: 103,
      lagBlocks: 2,
      problem: null,
    });
    expect(info?.lagSeconds).to.be.within(90, 150);
  });
});
