import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { makeTestCustomer } from "../../adapters/http/test-customer";
import { openCustomerDoor } from "../../scripts/demo/customer-door";
import { lndCustomer } from "../../scripts/demo/lnd-customer";
import { customerOf } from "../../scripts/demo/node";
import { BitcoindProcess } from "../support/real-nodes/bitcoind-process";
import { callRpc } from "../support/devnet/call-rpc";
import { findBitcoind } from "../support/bitcoind-binary";
import { RawLnd } from "../support/raw-lnd";
import { startRealLnd, withRealLnd } from "../support/real-lnd";

async function refused(asked: Promise<unknown>): Promise<string> {
  const error = await asked.catch((reason: unknown) => reason);
  return error instanceof Error ? error.message : "not refused";
}

describe("the test mode's customer, with a real bitcoind", function () {
  this.timeout(120_000);

  it("pays, double-spends what is in no block yet, and mines", async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-test-customer-"));
    const bitcoind = await BitcoindProcess.start(findBitcoind(), dir);
    const rpc = <T>(method: string, ...params: unknown[]): Promise<T> =>
      callRpc<T>(bitcoind.rpcUrl, method, params);
    // It has no wallet: the customer makes one of his own, with coins.
    const onChain = await customerOf({ rpcUrl: bitcoind.rpcUrl });
    const door = await openCustomerDoor({ onChain, lightning: null });
    try {
      const customer = makeTestCustomer(door.url);
      const shop = "bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x"; // BIP 84's test vector
      const first = await customer.pay(shop, 25_000n);
      expect(await rpc<string[]>("getrawmempool")).to.deep.equal([first]);
      const second = await customer.doubleSpend(shop);
      expect(await rpc<string[]>("getrawmempool")).to.deep.equal([second]);
      const third = await customer.pay(shop, 30_000n);
      expect(await rpc<string[]>("getrawmempool")).to.have.members([second, third]);
      await customer.mine(1);
      expect(await rpc<string[]>("getrawmempool")).to.deep.equal([]);
      await rpc("syncwithvalidationinterfacequeue"); // the wallet has seen the block
      expect(await refused(customer.doubleSpend(shop))).to.contain("cannot be double-spent any more");
      expect(await refused(customer.pay(shop, 2_100_000_000_000_000n))).to.contain("Insufficient funds");
    } finally {
      await door.close();
      await bitcoind.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

withRealLnd("the test mode's customer, with a real LND of his own", (binary) => {
  it("pays a merchant's BOLT11 once", async function () {
    this.timeout(180_000);
    const { chain, lnd } = await startRealLnd(binary());
    const lightning = await lndCustomer(lnd.customerRest);
    const door = await openCustomerDoor({ onChain: null, lightning });
    const merchant = new RawLnd(lnd.grpc, lnd.grpc.adminMacaroon);
    try {
      const { payment_request: bolt11 } = await merchant.call("lnrpc.Lightning", "AddInvoice", {
        value: "21000",
      });
      const customer = makeTestCustomer(door.url);
      expect(await customer.abilities()).to.deep.equal({ onChain: false, lightning: true });
      expect(await customer.payBolt11(String(bolt11))).to.match(/^[0-9a-f]{64}$/);
      expect(await refused(customer.payBolt11(String(bolt11)))).to.match(/paid|FAILURE/i);
      const wrong = { ...lnd.customerRest, macaroon: Buffer.from("00", "hex") };
      expect(await refused(lndCustomer(wrong))).to.contain("cannot be used");
    } finally {
      merchant.close();
      await door.close();
      await lnd.stop();
      await chain.stop();
    }
  });
});
