import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { DomainError } from "../../../domain/errors";
import { describeCertificate, type GivenAccess, readNodeAccess } from "../../../domain/lightning/node-access";

const file = (name: string): string => readFileSync(path.join(__dirname, "../../support/tls", name), "utf8");
const PEM = new X509Certificate(file("good.crt")).toString();
const DER = new X509Certificate(PEM).raw;
const MACAROON = Buffer.from("0201036c6e64fbff3e", "hex");
const ADDRESS = "node.example.com:10009";
const WHOLE = { address: ADDRESS, certificate: PEM, macaroon: MACAROON.toString("hex") };
const MACAROON_URL = MACAROON.toString("base64url");

function problemOf(given: GivenAccess): { pointer: string; message: string } | undefined {
  try {
    readNodeAccess(given);
  } catch (error) {
    if (error instanceof DomainError) return error.errors[0];
    throw error;
  }
  throw new Error("it was accepted");
}
const parts = (changes: GivenAccess): GivenAccess => ({
  address: ADDRESS,
  tlsCertificate: PEM,
  macaroon: WHOLE.macaroon,
  ...changes,
});

describe("the access to a store's node", () => {
  it("is read from an lndconnect URI", () => {
    const cert = DER.toString("base64url");
    const uri = `lndconnect://${ADDRESS}?cert=${cert}&macaroon=${MACAROON_URL}`;
    expect(readNodeAccess({ lndconnect: uri })).to.deep.equal(WHOLE);
    expect(readNodeAccess({ lndconnect: ` "LNDCONNECT${uri.slice(10)}" \n` })).to.deep.equal(WHOLE);
    expect(readNodeAccess({ lndconnect: `lndconnect://${ADDRESS}?macaroon=${MACAROON_URL}` })).to.deep.equal({
      ...WHOLE,
      certificate: null,
    });
    const padded = `lndconnect://[2001:db8::1]:10009?cert=${DER.toString("base64")}&macaroon=${MACAROON.toString("base64")}`;
    expect(readNodeAccess({ lndconnect: padded })).to.deep.equal({
      ...WHOLE,
      address: "[2001:db8::1]:10009",
    });
  });

  it("is read from BTCPay Server's string, whose address is REST's: gRPC's is asked for", () => {
    const text = `type=lnd-rest;server=https://node.example.com:8080/;macaroon=${WHOLE.macaroon};certthumbprint=AB`;
    expect(problemOf({ lndconnect: text })).to.deep.include({ pointer: "/address" });
    expect(problemOf({ lndconnect: text })?.message).to.include("10009");
    expect(readNodeAccess({ lndconnect: text, address: ADDRESS, tlsCertificate: PEM })).to.deep.equal(WHOLE);
    expect(problemOf({ lndconnect: "type=clightning;server=unix://x" })?.message).to.include("only LND");
  });

  it("takes certificate and macaroon as PEM, hex, base64 and base64url", () => {
    const certificates = [PEM, `\n${PEM.replaceAll("\n", "\r\n")}`, Buffer.from(PEM).toString("hex")];
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      certificates.push(DER.toString(encoding), Buffer.from(PEM).toString(encoding));
      expect(readNodeAccess(parts({ macaroon: MACAROON.toString(encoding) })), encoding).to.deep.equal(WHOLE);
    }
    for (const tlsCertificate of certificates)
      expect(readNodeAccess(parts({ tlsCertificate })), tlsCertificate.slice(0, 40)).to.deep.equal(WHOLE);
    expect(readNodeAccess(parts({ address: `https://${ADDRESS.toUpperCase()}/` }))).to.deep.equal(WHOLE);
  });

  it("is refused when it is not an lndconnect URI", () => {
    for (const lndconnect of ["", "lnd", "https://node.example.com", "lndconnect://", "lndconnect://node:1"])
      expect(problemOf({ lndconnect }), lndconnect).to.deep.include({ pointer: "/lndconnect" });
    expect(problemOf({ lndconnect: `lndconnect://${ADDRESS}?cert=AA` })?.message).to.include(
      "macaroon is missing",
    );
  });

  it("is refused without a port", () => {
    const message = "The node's address has no port. LND's gRPC usually has 10009.";
    expect(problemOf(parts({ address: "node.example.com" }))).to.deep.equal({ pointer: "/address", message });
    const lndconnect = `lndconnect://node.example.com?macaroon=${MACAROON_URL}`;
    expect(problemOf({ lndconnect })).to.deep.equal({ pointer: "/lndconnect", message });
    for (const port of ["0", "65536", "99999"])
      expect(problemOf(parts({ address: `node:${port}` }))?.message, port).to.include("from 1 to 65535");
    for (const address of ["user@node:1", "node:1/path", "no de:1", "[::1:1", "-node:1"])
      expect(problemOf(parts({ address }))?.message, address).to.include("host name or an IP address");
  });

  it("is refused with a certificate that is not one, and with a private key", () => {
    const broken = PEM.replace(/[A-Za-z]{8}/, "00000000").slice(0, 200);
    for (const tlsCertificate of ["tls.cert", "00ff", broken, `${PEM}${PEM}${PEM}${PEM}${PEM}${PEM}`])
      expect(problemOf(parts({ tlsCertificate }))?.message, tlsCertificate.slice(0, 40)).to.include(
        "not a certificate",
      );
    expect(problemOf(parts({ tlsCertificate: file("good.key") }))?.message).to.include("private key");
    expect(problemOf(parts({ macaroon: "m!" }))).to.deep.include({ pointer: "/macaroon" });
  });

  it("is refused with a certificate whose dates are none", () => {
    const undated = Buffer.from(DER);
    const utcTime = undated.indexOf(Buffer.from([0x17, 13])); // X.690: tag and length of the first date
    undated.write("xx", utcTime + 2, "latin1");
    expect(() => describeCertificate(undated)).to.throw(RangeError);
    const refused = problemOf(parts({ tlsCertificate: undated.toString("hex") }));
    expect(refused).to.include({ pointer: "/tlsCertificate" });
  });

  it("says which names and dates its certificate has", () => {
    const facts = describeCertificate(file("expired.crt"));
    expect(facts.validTo.getTime()).to.be.below(Date.now());
    expect(describeCertificate(PEM).names).to.include("DNS:");
  });
});
