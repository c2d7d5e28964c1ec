import { expect } from "chai";
import { subscribeZmq, type ZmqSettings, type ZmqSubscription } from "../../../adapters/bitcoind/zmq";
import { zmqAddresses } from "../../../adapters/bitcoind/zmq-addresses";
import { ZmqPublisher } from "../../../scripts/devnet/bitcoin/zmq-publisher";
import { recordingLog } from "../../support/context";
import { eventually } from "../../support/eventually";

const HASH = "ab".repeat(32);
const TX = Buffer.from("0200", "hex");

interface Heard {
  txs: string[];
  blocks: string[];
  gaps: string[];
  reconnected: string[];
  malformed: string[];
}

describe("bitcoind's ZMQ", () => {
  let rawtx: ZmqPublisher;
  let hashblock: ZmqPublisher;
  let subscription: ZmqSubscription | null = null;
  let heard: Heard;

  beforeEach(async () => {
    rawtx = await ZmqPublisher.bind("rawtx", "tcp://127.0.0.1:*");
    hashblock = await ZmqPublisher.bind("hashblock", "tcp://127.0.0.1:*");
    heard = { txs: [], blocks: [], gaps: [], reconnected: [], malformed: [] };
  });
  afterEach(async () => {
    await subscription?.close();
    await rawtx.close();
    await hashblock.close();
  });

  const listen = async (settings: Partial<ZmqSettings> = {}): Promise<void> => {
    subscription = subscribeZmq(
      {
        addresses: { rawtx: rawtx.url, hashblock: hashblock.url },
        reconnectMs: { first: 20, most: 50 },
        ...settings,
      },
      {
        onRawTx: (raw) => heard.txs.push(raw.toString("hex")),
        onBlock: (hash) => heard.blocks.push(hash),
        onGap: (topic) => heard.gaps.push(topic),
        onReconnected: (topic) => heard.reconnected.push(topic),
        onMalformed: (topic) => heard.malformed.push(topic),
      },
      recordingLog().log,
    );
    // A publisher keeps nothing for those who come later.
    await eventually(() => {
      rawtx.publish(TX);
      hashblock.publish(Buffer.from(HASH, "hex"));
      return heard.txs.length > 0 && heard.blocks.length > 0;
    });
  };
  const clear = (): void => {
    for (const list of Object.values(heard) as string[][]) list.length = 0;
  };

  it("delivers transactions as bytes and block hashes in display order", async () => {
    await listen();
    expect(heard.txs[0]).to.equal("0200");
    expect(heard.blocks[0]).to.equal(HASH);
    expect(heard).to.deep.include({ gaps: [], reconnected: [], malformed: [] });
  });

  it("reports a gap in one topic's sequence, and not in another's", async () => {
    await listen();
    rawtx.skip();
    rawtx.publish(TX);
    await eventually(() => heard.gaps.length > 0);
    expect(heard.gaps).to.deep.equal(["rawtx"]);
  });

  it("does not report a gap when the counter goes from 2^32 - 1 to 0", async () => {
    await listen();
    const counter = Buffer.alloc(4);
    counter.writeUInt32LE(2 ** 32 - 1);
    rawtx.publishRaw(["rawtx", TX, counter]);
    rawtx.publishRaw(["rawtx", Buffer.from("03", "hex"), Buffer.alloc(4)]);
    await eventually(() => heard.txs.includes("03"));
    expect(heard.gaps).to.deep.equal(["rawtx"]);
  });

  it("skips and counts messages of the wrong shape", async () => {
    await listen();
    rawtx.publishRaw(["rawtx"]);
    rawtx.publishRaw(["rawtx", TX]);
    rawtx.publishRaw(["rawtx", TX, Buffer.alloc(3)]);
    rawtx.publishRaw(["rawtx", Buffer.alloc(0), Buffer.alloc(4)]);
    rawtx.publishRaw(["rawtx", TX, Buffer.alloc(4), "more"]);
    rawtx.publishRaw(["rawtxs", TX, Buffer.alloc(4)]);
    hashblock.publishRaw(["hashblock", Buffer.alloc(31), Buffer.alloc(4)]);
    await eventually(() => heard.malformed.length >= 7);
    expect(heard.malformed.filter((topic) => topic === "rawtx")).to.have.length(6);
    const before = heard.txs.length;
    await eventually(() => {
      rawtx.publish(TX);
      return heard.txs.length > before;
    });
  });

  it("treats silence as a dead connection, by topic, and connects again", async () => {
    await listen({ silenceMs: { rawtx: 200 } });
    clear();
    await eventually(() => heard.reconnected.length > 0);
    expect(heard.reconnected).to.include("rawtx").and.not.include("hashblock");
    await eventually(() => {
      rawtx.publish(TX);
      return heard.txs.length > 0;
    });
  });

  it("reports when the publisher was away and is back", async () => {
    await listen();
    clear();
    const { url } = hashblock;
    await hashblock.close();
    hashblock = await eventually(() => ZmqPublisher.bind("hashblock", url));
    await eventually(() => heard.reconnected.includes("hashblock"));
  });

  it("keeps trying an invalid address, until it is closed", async () => {
    const { log, lines } = recordingLog();
    const nothing = (): void => undefined;
    subscription = subscribeZmq(
      { addresses: { rawtx: "tcp://nonsense", hashblock: null }, reconnectMs: { first: 5, most: 10 } },
      { onRawTx: nothing, onBlock: nothing, onGap: nothing, onReconnected: nothing, onMalformed: nothing },
      log,
    );
    await eventually(() => lines.filter((line) => line.level === "warn").length > 2);
    await subscription.close();
  });
});

describe("the address of ZMQ", () => {
  const rpcUrl = "http://u:p@node.example:8332";
  const published = (address: string): string | null =>
    zmqAddresses({ rpcUrl }, [{ type: "pubrawtx", address }]).rawtx;

  it("is the configured one", () => {
    expect(zmqAddresses({ rpcUrl, rawtx: "tcp://a:1", hashblock: "tcp://b:2" }, [])).to.deep.equal({
      rawtx: "tcp://a:1",
      hashblock: "tcp://b:2",
    });
  });

  for (const bound of ["0.0.0.0", "127.0.0.1", "*", "localhost", "[::]", "[::1]"])
    it(`is the RPC's host when the node bound ${bound}`, () => {
      expect(published(`tcp://${bound}:28332`)).to.equal("tcp://node.example:28332");
    });

  it("is the address that the node bound, when it is reachable", () => {
    expect(published("tcp://10.0.0.5:28332")).to.equal("tcp://10.0.0.5:28332");
    expect(published("ipc:///run/bitcoind.sock")).to.equal("ipc:///run/bitcoind.sock");
  });

  it("is null for what the node does not publish", () => {
    expect(zmqAddresses({ rpcUrl }, [{ type: "pubrawblock", address: "tcp://10.0.0.5:1" }])).to.deep.equal({
      rawtx: null,
      hashblock: null,
    });
  });
});
