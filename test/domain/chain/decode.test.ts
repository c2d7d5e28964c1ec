import { Block, Transaction } from "bitcoinjs-lib";
import { expect } from "chai";
import fc from "fast-check";
import { confirmationsAt } from "../../../domain/chain/onchain-payment";
import { decodeBlock } from "../../../domain/chain/decode-block";
import { type DecodedTx, decodeTx, parseOutpoint, MalformedChainData } from "../../../domain/chain/decode-tx";
import {
  matchOutputs,
  matchSpends,
  outpointsToLookUp,
  scriptsToLookUp,
} from "../../../domain/chain/match-outputs";

/** The P2SH-P2WPKH example of BIP 143, signed. */
const BIP143_TX = Buffer.from(
  "01000000000101db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a5477010000001716001479091972186c449eb1ded22b78e40d009bdf0089feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac02473044022047ac8e878352d3ebbde1c94ce3a10d057c24175747116f8288e5d794d12d482f0220217f36a485cae903c713331d877c1f64677e3622ad4010726870540656fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad1470198ac48c43f7d6f93a2a2687392040000",
  "hex",
);
const GENESIS = Buffer.from(
  "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c0101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000",
  "hex",
);

function makeTx(
  seed: number,
  outputs: { script: Buffer; value: bigint }[],
  sequence = 0xffffffff,
): Transaction {
  const tx = new Transaction();
  tx.version = 2;
  tx.addInput(Buffer.alloc(32, seed & 0xff || 1), seed, sequence);
  for (const { script, value } of outputs) tx.addOutput(script, value);
  return tx;
}

function p2wpkh(seed: number): Buffer {
  const script = Buffer.alloc(22);
  script[1] = 20;
  script.writeUInt32LE(seed, 2);
  return script;
}

function makeBlock(txs: Transaction[]): Buffer {
  const coinbase = new Transaction();
  coinbase.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, Buffer.from("0101", "hex"));
  coinbase.addOutput(p2wpkh(0), 5_000_000_000n);
  const block = new Block();
  block.prevHash = Buffer.from([...Array(32).keys()]);
  block.timestamp = 1_700_000_000;
  block.transactions = [coinbase, ...txs];
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions);
  return Buffer.from(block.toBuffer());
}

const anyScript = (maxLength: number) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: maxLength }).map((length) => new Uint8Array(length)) },
  );
const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const anyTx: fc.Arbitrary<Transaction> = fc
  .record({
    version: uint32,
    locktime: uint32,
    inputs: fc.array(
      fc.record({
        hash: fc
          .uint8Array({ minLength: 32, maxLength: 32 })
          .filter((hash) => hash.some((byte) => byte !== 0)),
        index: uint32,
        script: anyScript(70_000),
        sequence: uint32,
        witness: fc.array(anyScript(600), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    outputs: fc.array(
      fc.record({ value: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }), script: anyScript(300) }),
      { minLength: 1, maxLength: 300 },
    ),
  })
  .map(({ version, locktime, inputs, outputs }) => {
    const tx = new Transaction();
    tx.version = version;
    tx.locktime = locktime;
    for (const { hash, index, script, sequence, witness } of inputs)
      tx.setWitness(tx.addInput(hash, index, sequence, script), witness);
    for (const { script, value } of outputs) tx.addOutput(script, value);
    return tx;
  });

/** The same of both kinds of transaction. */
function whatIsIn(tx: Transaction | DecodedTx): unknown {
  if (tx instanceof Transaction)
    return {
      txid: tx.getId(),
      inputs: tx.ins.map(({ hash, index, sequence }) => {
        const name = Buffer.alloc(36);
        name.set(hash);
        name.writeUInt32LE(index, 32);
        return [name.toString("hex"), sequence];
      }),
      outputs: tx.outs.map(({ value, script }, vout) => [vout, value, Buffer.from(script).toString("hex")]),
    };
  return {
    txid: tx.txid,
    inputs: tx.inputs.map(({ outpoint: name, sequence }) => [name.toString("hex"), sequence]),
    outputs: tx.outputs.map((one) => [one.vout, one.valueSats, one.scriptPubKey.toString("hex")]),
  };
}

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

describe("decoding a transaction", () => {
  it("reads a segwit transaction", () => {
    const tx = decodeTx(BIP143_TX);
    expect(tx.txid).to.equal("ef48d9d0f595052e0f8cdcf825f7a5e50b6a388a81f206f3f4846e5ecd7a0c23");
    expect(tx.coinbase).to.equal(false);
    expect(tx.signalsReplaceability).to.equal(false);
    expect(tx.outputs.map(({ vout, valueSats }) => [vout, valueSats])).to.deep.equal([
      [0, 199_996_600n],
      [1, 800_000_000n],
    ]);
    expect(tx.inputs).to.have.length(1);
    expect(tx.inputs[0]?.outpoint.toString("hex")).to.equal(
      "db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a547701000000",
    );
    expect(tx.bytes).to.deep.equal(BIP143_TX);
  });

  it("gives the outpoint of an input", () => {
    const txid = "77541aeb3c4dac9260b68f74f44c973081a9d4cb2ebe8038b2d70faa201b6bdb";
    const [input] = decodeTx(BIP143_TX).inputs;
    expect(parseOutpoint(input?.outpoint ?? Buffer.alloc(36))).to.deep.equal({ txid, vout: 1 });
  });

  it("recognises BIP 125's signal from sequence 0xfffffffd down", () => {
    const signal = (sequence: number) =>
      decodeTx(makeTx(1, [{ script: p2wpkh(1), value: 1n }], sequence).toBuffer()).signalsReplaceability;
    expect([0, 0xfffffffd, 0xfffffffe, 0xffffffff].map(signal)).to.deep.equal([true, true, false, false]);
  });

  it("recognises BIP 431's signal in version 3 only, whatever the sequences", () => {
    const signal = (version: number): boolean => {
      const tx = makeTx(1, [{ script: p2wpkh(1), value: 1n }], 0xffffffff);
      tx.version = version;
      return decodeTx(tx.toBuffer()).signalsReplaceability;
    };
    expect([1, 2, 3, 4, 0x0103].map(signal)).to.deep.equal([false, false, true, false, false]);
  });

  it("refuses truncated bytes, trailing bytes, and impossible amounts", () => {
    for (let length = 0; length < BIP143_TX.length; length++) {
      expect(() => decodeTx(BIP143_TX.subarray(0, length))).to.throw(MalformedChainData);
    }
    expect(() => decodeTx(Buffer.concat([BIP143_TX, Buffer.from([0])]))).to.throw(MalformedChainData);
    const tx = makeTx(1, [{ script: p2wpkh(1), value: 2_100_000_000_000_000n }]);
    expect(decodeTx(tx.toBuffer()).outputs[0]?.valueSats).to.equal(2_100_000_000_000_000n);
    for (const value of [2_100_000_000_000_001n, 2n ** 63n, 2n ** 64n - 1n]) {
      const raw = Buffer.from(tx.toBuffer());
      raw.writeBigUInt64LE(value, 4 + 1 + 41 + 1);
      expect(() => decodeTx(raw), String(value)).to.throw(MalformedChainData);
    }
  });

  it("refuses a transaction without outputs", () => {
    expect(() => decodeTx(makeTx(1, []).toBuffer())).to.throw(MalformedChainData);
  });

  it("gives the same as bitcoinjs for any transaction", () => {
    fc.assert(
      fc.property(anyTx, (tx) => {
        const ours = decodeTx(tx.toBuffer());
        expect(whatIsIn(ours)).to.deep.equal(whatIsIn(tx));
        expect(ours.bytes).to.deep.equal(Buffer.from(tx.toBuffer()));
        expect(ours.coinbase).to.equal(false);
      }),
      { numRuns: 500 },
    );
  });

  it("accepts no damaged transaction that bitcoinjs refuses, and none as another", () => {
    const damaged = fc.tuple(anyTx, fc.nat(), fc.nat(255)).map(([tx, at, byte]) => {
      const raw = Buffer.from(tx.toBuffer());
      return raw.fill(byte, at % raw.length, (at % raw.length) + 1);
    });
    let taken = 0;
    fc.assert(
      fc.property(damaged, (raw) => {
        const ours = orNull(() => decodeTx(raw));
        if (ours === null) return;
        taken += 1;
        expect(whatIsIn(ours)).to.deep.equal(whatIsIn(Transaction.fromBuffer(raw)));
      }),
      { numRuns: 2000 },
    );
    expect(taken).to.be.greaterThan(100);
  });

  it("refuses a length in more bytes than needed, and witnesses without any", () => {
    const plain = Buffer.from(makeTx(1, [{ script: p2wpkh(1), value: 1n }]).toBuffer());
    const [version, rest, lockTime] = [plain.subarray(0, 4), plain.subarray(5, -4), plain.subarray(-4)];
    const inputs = (count: string) => Buffer.concat([version, Buffer.from(count, "hex"), rest, lockTime]);
    expect(decodeTx(inputs("01")).inputs).to.have.length(1);
    for (const count of ["fd0100", "fe01000000", "ff0100000000000000"])
      expect(() => decodeTx(inputs(count)), count).to.throw(MalformedChainData);
    const segwit = (witnesses: string, flag = "01") =>
      Buffer.concat([
        version,
        Buffer.from(`00${flag}01`, "hex"),
        rest,
        Buffer.from(witnesses, "hex"),
        lockTime,
      ]);
    expect(decodeTx(segwit("0100")).txid).to.equal(decodeTx(plain).txid);
    expect(() => decodeTx(segwit("00"))).to.throw(MalformedChainData);
    expect(() => decodeTx(segwit("0100", "02"))).to.throw(MalformedChainData);
  });

  it("fails only with its own error, on any bytes", () => {
    const noise = fc.uint8Array({ maxLength: 400 });
    const damaged = fc
      .tuple(fc.nat(BIP143_TX.length - 1), fc.nat(255))
      .map(([at, byte]) => Buffer.from(BIP143_TX).fill(byte, at, at + 1));
    fc.assert(
      fc.property(fc.oneof(noise, damaged), (bytes) => {
        for (const decode of [decodeTx, decodeBlock]) {
          try {
            decode(bytes);
          } catch (error) {
            expect(error).to.be.instanceOf(MalformedChainData);
          }
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("decoding a block", () => {
  it("reads the first block", () => {
    const block = decodeBlock(GENESIS);
    expect(block).to.include({
      hash: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
      previousHash: "0".repeat(64),
      timeSeconds: 1_231_006_505,
    });
    expect(block.txs.map((tx) => [tx.txid, tx.coinbase])).to.deep.equal([
      ["4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", true],
    ]);
  });

  it("gives the same as bitcoinjs for any block", () => {
    fc.assert(
      fc.property(fc.array(anyTx, { maxLength: 5 }), (txs) => {
        const raw = makeBlock(txs);
        const theirs = Block.fromBuffer(raw);
        const ours = decodeBlock(raw);
        expect([ours.hash, ours.timeSeconds]).to.deep.equal([theirs.getId(), theirs.timestamp]);
        expect(ours.txs.map(whatIsIn)).to.deep.equal((theirs.transactions ?? []).map(whatIsIn));
      }),
      { numRuns: 50 },
    );
  });

  it("refuses a header alone, truncated bytes, trailing bytes and a block without coinbase", () => {
    for (const length of [0, 79, 80, 81, GENESIS.length - 1]) {
      expect(() => decodeBlock(GENESIS.subarray(0, length)), String(length)).to.throw(MalformedChainData);
    }
    expect(() => decodeBlock(Buffer.concat([GENESIS, Buffer.from([0])]))).to.throw(MalformedChainData);
    const noCoinbase = Buffer.from(GENESIS);
    noCoinbase[90] = 1;
    expect(() => decodeBlock(noCoinbase)).to.throw(MalformedChainData);
  });
});

describe("matching outputs and spends", () => {
  const txs = [
    makeTx(1, [
      { script: p2wpkh(1), value: 10n },
      { script: p2wpkh(2), value: 20n },
      { script: p2wpkh(1), value: 30n },
    ]),
    makeTx(2, [
      { script: p2wpkh(1), value: 40n },
      { script: Buffer.from("6a0101", "hex"), value: 0n },
    ]),
  ].map((tx) => decodeTx(tx.toBuffer()));

  it("queries each script once, and no script of another kind", () => {
    expect(scriptsToLookUp(txs)).to.deep.equal([p2wpkh(1).toString("hex"), p2wpkh(2).toString("hex")]);
    expect(scriptsToLookUp([])).to.deep.equal([]);
  });

  it("queries scripts of our four kinds only", () => {
    const kinds = ["0014", "a914", "76a914", "5120"].map((head, kind) =>
      Buffer.concat([Buffer.from(head, "hex"), Buffer.alloc([20, 21, 22, 32][kind] ?? 0, kind + 1)]),
    );
    const others = kinds.map((script) => Buffer.from(script).fill(0x6a, 0, 1));
    const tx = makeTx(
      1,
      [...others, ...kinds].map((script) => ({ script, value: 1n })),
    );
    expect(scriptsToLookUp([decodeTx(tx.toBuffer())])).to.deep.equal(
      kinds.map((kind) => kind.toString("hex")),
    );
  });

  it("finds every output to a watched script, several in one transaction too", () => {
    const row = { scriptPubKey: p2wpkh(1), invoiceId: "inv_a" };
    expect(
      matchOutputs(txs, [row]).map(({ tx, output, watched }) => [
        tx.txid,
        output.vout,
        output.valueSats,
        watched,
      ]),
    ).to.deep.equal([
      [txs[0]?.txid, 0, 10n, row],
      [txs[0]?.txid, 2, 30n, row],
      [txs[1]?.txid, 0, 40n, row],
    ]);
    expect(matchOutputs(txs, [])).to.deep.equal([]);
  });

  it("finds every payment whose input is spent", () => {
    const first = txs[0]?.inputs[0]?.outpoint ?? Buffer.alloc(36);
    expect(outpointsToLookUp(txs)).to.have.length(2).and.to.include(first.toString("hex"));
    const rows = [
      { outpoint: first, txid: "a" },
      { outpoint: Buffer.from(first), txid: "b" },
    ];
    expect(matchSpends(txs, rows).map(({ tx, watched }) => [tx.txid, watched.txid])).to.deep.equal([
      [txs[0]?.txid, "a"],
      [txs[0]?.txid, "b"],
    ]);
    expect(matchSpends(txs, [])).to.deep.equal([]);
  });

  it("does not query what a coinbase spends, which is nothing", () => {
    expect(outpointsToLookUp(decodeBlock(GENESIS).txs)).to.deep.equal([]);
  });
});

describe("confirmations", () => {
  it("are one in the tip, and none in no block or above the tip", () => {
    expect(confirmationsAt(100, 100)).to.equal(1);
    expect(confirmationsAt(95, 100)).to.equal(6);
    expect(confirmationsAt(null, 100)).to.equal(0);
    expect(confirmationsAt(101, 100)).to.equal(0);
    expect(confirmationsAt(103, 100)).to.equal(0);
  });
});
