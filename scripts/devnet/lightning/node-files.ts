import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeCertificate, type Certificate } from "./certificate";
import { makeMacaroons, type Macaroons } from "./rights";

/** What makes a simulated LND the same one after a restart. Keys and macaroons are hex. */
export interface NodeIdentity {
  privateKey: string;
  customerKey: string;
  macaroons: Macaroons;
  certificate: Certificate;
}

async function newIdentity(): Promise<NodeIdentity> {
  return {
    // 32 random bytes are a valid key but once in 2^128 times.
    privateKey: randomBytes(32).toString("hex"),
    customerKey: randomBytes(32).toString("hex"),
    macaroons: makeMacaroons(),
    certificate: await makeCertificate(),
  };
}

/** A node's folder, or none: then nothing outlives the process. */
export class NodeFiles {
  constructor(private readonly dir: string | null) {
    if (dir !== null) mkdirSync(dir, { recursive: true });
  }

  get invoices(): string | null {
    return this.dir === null ? null : path.join(this.dir, "invoices.jsonl");
  }

  /** Made at the first start; the macaroons of a folder from before one of them are made again. */
  async readIdentity(): Promise<NodeIdentity> {
    const known =
      this.dir !== null && existsSync(this.file("node.json"))
        ? (JSON.parse(readFileSync(this.file("node.json"), "utf8")) as NodeIdentity)
        : null;
    const macaroons = makeMacaroons();
    if (known !== null && Object.keys(macaroons).every((name) => name in known.macaroons)) return known;
    const identity = known === null ? await newIdentity() : { ...known, macaroons };
    this.writeIdentity(identity);
    return identity;
  }

  /** With the certificate and the macaroons under the names that LND gives them. */
  writeIdentity(identity: NodeIdentity): void {
    if (this.dir === null) return;
    this.write("node.json", JSON.stringify(identity));
    this.write("tls.cert", identity.certificate.cert);
    this.write("admin.macaroon", Buffer.from(identity.macaroons.admin, "hex"));
    this.write("invoice.macaroon", Buffer.from(identity.macaroons.invoice, "hex"));
    this.write("quittance.macaroon", Buffer.from(identity.macaroons.quittance, "hex"));
  }

  private file(name: string): string {
    return path.join(this.dir ?? "", name);
  }

  /** Whole or not at all. */
  private write(name: string, content: string | Buffer): void {
    writeFileSync(this.file(`${name}.new`), content, { mode: 0o600 });
    renameSync(this.file(`${name}.new`), this.file(name));
  }
}
