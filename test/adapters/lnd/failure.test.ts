import { status } from "@grpc/grpc-js";
import { expect } from "chai";
import { failureOf, LndFailure } from "../../../adapters/lnd/failure";
import { NodeUnavailableError } from "../../../domain/errors";

const refused = (code: status, details: string): Error =>
  Object.assign(new Error(details), { code, details });

describe("a refusal of LND's gRPC", () => {
  const { UNKNOWN, UNAVAILABLE, PERMISSION_DENIED, UNAUTHENTICATED } = status;
  const noConnection = (why: string) =>
    `No connection established. Last error: ${why} (2026-01-01T00:00:00.000Z). Resolution note: `;
  for (const [code, details, meaning, fault] of [
    [UNKNOWN, "wallet locked, unlock it to enable full RPC access", "locked", "locked"],
    [UNKNOWN, "wallet not created, create one to enable full RPC access", "locked", "locked"],
    [UNKNOWN, "macaroon store is locked", "locked", "locked"],
    [UNKNOWN, "waiting to start, RPC services not available", "starting", "starting"],
    [
      UNKNOWN,
      "the RPC server is in the process of starting up, but not yet ready to accept calls",
      "starting",
      "starting",
    ],
    [UNKNOWN, "chain backend is still syncing, server not active yet", "starting", "starting"],
    [UNKNOWN, "invoice with payment hash already exists", "duplicate", "malformed"],
    [UNKNOWN, "invoice already settled", "settled", "malformed"],
    [UNKNOWN, "invoice already accepted", "accepted", "malformed"],
    [UNKNOWN, "unable to locate invoice", "not-found", "malformed"],
    [UNKNOWN, "there are no existing invoices", "not-found", "malformed"],
    [status.NOT_FOUND, "unable to locate invoice", "not-found", "malformed"],
    [UNKNOWN, "permission denied", "right-missing", "forbidden"],
    [PERMISSION_DENIED, "no", "right-missing", "forbidden"],
    [
      UNKNOWN,
      "verification failed: signature mismatch after caveat verification",
      "macaroon-refused",
      "forbidden",
    ],
    [UNKNOWN, "cannot get macaroon: root key with id 7 doesn't exist", "macaroon-refused", "forbidden"],
    [
      UNKNOWN,
      'caveat "time-before 2026-01-01T00:00:00Z" not satisfied: macaroon has expired',
      "macaroon-refused",
      "forbidden",
    ],
    [UNKNOWN, "expected 1 macaroon, got 0", "macaroon-refused", "forbidden"],
    [UNAUTHENTICATED, "no", "macaroon-refused", "forbidden"],
    [UNAVAILABLE, noConnection("Error: connect ECONNREFUSED 10.1.2.3:10009"), "away", "away"],
    [UNAVAILABLE, "Connection dropped", "away", "away"],
    [UNAVAILABLE, "Name resolution failed for target dns:secret-host:10009", "away", "away"],
    [UNAVAILABLE, noConnection("Error: self-signed certificate"), "certificate", "forbidden"],
    [UNAVAILABLE, noConnection("Error: certificate has expired"), "certificate", "forbidden"],
    [
      UNAVAILABLE,
      noConnection("Error: Hostname/IP does not match certificate's altnames: Host: secret-host."),
      "certificate",
      "forbidden",
    ],
    // As grpc-js 1.14 says it of other ends: a proxy without HTTP/2, no TLS, an older TLS, a website, a proxy before nothing.
    [
      UNAVAILABLE,
      noConnection("Error: 80:error:0A000460:SSL routines::tlsv1 alert no application protocol:..:120"),
      "not-grpc",
      "away",
    ],
    [UNAVAILABLE, noConnection("Protocol error"), "not-grpc", "away"],
    [UNAVAILABLE, noConnection("Error: 80:error:SSL routines::wrong version number"), "not-grpc", "away"],
    [
      UNAVAILABLE,
      noConnection("Error: 80:error:SSL routines::tlsv1 alert protocol version"),
      "not-grpc",
      "away",
    ],
    [status.UNIMPLEMENTED, "Received HTTP status code 404", "not-grpc", "away"],
    [UNAVAILABLE, "Received HTTP status code 502", "not-grpc", "away"],
    [status.INTERNAL, "Received RST_STREAM with code 0 (Call ended without gRPC status)", "not-grpc", "away"],
    [status.DEADLINE_EXCEEDED, "Deadline exceeded after 5.0s, remote_addr=10.1.2.3:10009", "late", "away"],
    [status.CANCELLED, "Cancelled on client", "away", "away"],
    [status.UNIMPLEMENTED, "unknown service invoicesrpc.Invoices", "malformed", "malformed"],
    [status.RESOURCE_EXHAUSTED, "Received message larger than max", "too-large", "malformed"],
    [UNKNOWN, "unable to reach secret-host:8332", "malformed", "malformed"],
    [99 as status, "", "malformed", "malformed"],
  ] as const)
    it(`"${details}" (${status[code] ?? code}) means ${meaning}`, () => {
      const failure = failureOf(refused(code, details), "invoices:read");
      expect(failure).to.be.instanceOf(NodeUnavailableError);
      expect({ meaning: failure.meaning, fault: failure.fault }).to.deep.equal({ meaning, fault });
      expect(failure.message).to.match(/^\S.*[^.]$/);
      expect(failure.message).not.to.match(/10\.1\.2\.3|secret-host|10009/);
    });

  it("names the missing right, and why there is no connection", () => {
    expect(failureOf(refused(UNKNOWN, "permission denied"), "offchain:read").message).to.contain(
      "offchain:read",
    );
    expect(
      failureOf(refused(UNAVAILABLE, noConnection("Error: connect ECONNREFUSED ::1:10009")), null).message,
    ).to.equal("LND does not answer (ECONNREFUSED)");
    expect(
      failureOf(refused(UNAVAILABLE, "Name resolution failed for target dns:secret-host:10009"), null)
        .message,
    ).to.equal("LND does not answer (its host name does not resolve)");
  });

  it("of any other kind says that the answer cannot be read, and an error stays itself", () => {
    expect(failureOf(new RangeError("index out of range: 3 + 10 > 5"), null).meaning).to.equal("malformed");
    const failure = new LndFailure("late", "LND did not answer in time");
    expect(failureOf(failure, null)).to.equal(failure);
  });
});
