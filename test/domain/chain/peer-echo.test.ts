import { expect } from "chai";
import { type Peer, PeerEcho } from "../../../domain/chain/peer-echo";

const START = new Date("2026-03-01T12:00:00Z");
const after = (seconds: number): Date => new Date(START.getTime() + seconds * 1_000);
const peer = (given: Partial<Peer> = {}): Peer => ({
  id: 1,
  connectedAtSeconds: START.getTime() / 1_000 - 3_600,
  relaysTransactions: true,
  syncedHeaders: 100,
  pingBytesSent: 32,
  pongAwaited: false,
  roundTripMs: 50,
  ...given,
});
const answered = peer({ pingBytesSent: 64 });

describe("the echo of a node's peers", () => {
  let echo: PeerEcho;
  beforeEach(() => {
    echo = new PeerEcho();
    echo.ping([peer()], START);
  });
  const read = (peers: Peer[], seconds: number, least = 1): unknown =>
    echo.read(peers, { least, now: after(seconds), caughtUpTo: after(-5) });

  it("proves the instant of the ping, once what was announced before has arrived", () => {
    expect(read([answered], 3)).to.equal(null);
    expect(read([answered], 5)).to.deep.equal({ sentAt: START, unbroken: true });
    expect(echo.pingIsDue).to.equal(true);
  });

  it("is none of a pong to an earlier ping, nor while a pong is awaited", () => {
    expect(read([peer()], 5), "the ping is not sent yet").to.equal(null);
    expect(read([peer({ pingBytesSent: 64, pongAwaited: true })], 5)).to.equal(null);
    expect(echo.silent).to.equal(false);
  });

  it("counts from the pong, however long the round trip took", () => {
    const slow = { ...answered, roundTripMs: 12_000 };
    expect(read([slow], 15)).to.equal(null);
    expect(read([slow], 16)).to.deep.equal({ sentAt: START, unbroken: true });
  });

  it("is silence after twenty seconds, until a ping is answered", () => {
    const silent = peer({ pingBytesSent: 64, pongAwaited: true });
    expect(read([silent], 19)).to.equal(null);
    expect(echo.silent).to.equal(false);
    expect(read([silent], 20)).to.equal(null);
    expect([echo.silent, echo.pingIsDue]).to.deep.equal([true, true]);
    echo.ping([silent], after(20));
    expect(read([peer({ pingBytesSent: 96 })], 25)).not.to.equal(null);
    expect(echo.silent).to.equal(false);
  });

  it("needs a new ping when too few of those that got it are left, or the clock was set back", () => {
    expect(read([peer({ id: 2, pingBytesSent: 64 })], 5)).to.equal(null);
    expect([echo.silent, echo.pingIsDue]).to.deep.equal([false, true]);
    echo.ping([peer()], START);
    expect(read([answered], -1)).to.equal(null);
    expect(echo.pingIsDue).to.equal(true);
  });

  it("needs as many peers as are asked for", () => {
    const other = peer({ id: 2 });
    echo.ping([peer(), other], START);
    expect(read([answered, other], 5, 2)).to.equal(null);
    expect(read([answered, { ...other, pingBytesSent: 64 }], 6, 2)).to.have.property("sentAt", START);
  });

  it("is broken when all who answer connected after the last complete check, once those from before are silent", () => {
    const fresh = peer({ id: 2, connectedAtSeconds: START.getTime() / 1_000 - 1 });
    echo.ping([peer(), fresh], START);
    const answers = { ...fresh, pingBytesSent: 64 };
    expect(read([peer(), answers], 5), "the older one may still answer").to.equal(null);
    expect(read([peer(), answers], 20)).to.deep.equal({ sentAt: START, unbroken: false });
    echo.ping([answers], after(20));
    expect(read([{ ...answers, pingBytesSent: 96 }], 25)).to.deep.equal({
      sentAt: after(20),
      unbroken: true,
    });
  });

  it("counts peers that have once had the node's chain, until the node is restarted", () => {
    expect(echo.noteUptime(1_000, START)).to.equal(false);
    echo.ping([peer()], START);
    expect(
      echo.counting([peer({ syncedHeaders: 99 }), peer({ id: 2 })], 100).map(({ id }) => id),
    ).to.deep.equal([2]);
    expect(echo.counting([peer({ id: 2 })], 101)).to.have.length(1);
    expect(echo.counting([peer({ id: 2, relaysTransactions: false })], 101)).to.deep.equal([]);
    read([answered], 5);
    expect(echo.noteUptime(1_005, after(5)), "it has run since it was proven to hear").to.equal(true);
    expect(echo.noteUptime(3, after(10))).to.equal(false);
    expect(echo.counting([peer({ id: 2 })], 101)).to.deep.equal([]);
    expect(echo.pingIsDue).to.equal(true);
  });
});
