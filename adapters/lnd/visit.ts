import { isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { CertificateProblem, NodeVisit, ShownCertificate, VisitNode } from "../../commands/node-visit";
import { tlsOptions } from "./credentials";
import { hostOf, type Dial, type Dialer } from "./dial";
import { failureOf, LndFailure } from "./failure";
import { makeLndClient } from "./lnd-client";

const HANDSHAKE_MS = 5_000;
/** More than the deadlines of the connection, the handshake and a call together. */
const LONGEST_MS = 16_000;

export function makeVisitNode(dialer: Dialer): VisitNode {
  return ({ address, certificate, macaroon }) => {
    const dial = dialer(address);
    const { state, inspect, receivableSats, addInvoice, cancelInvoice, close } = makeLndClient({
      address,
      certificate: certificate === null ? null : { text: certificate },
      macaroon: { hex: macaroon },
      // The check itself withholds what not everybody may know.
      dial: async () => ({ ...(await dial()), open: true }),
    });
    let dialled: Dial | null = null;
    let socket: Socket | null = null;
    let longest = Promise.resolve();
    const visit: NodeVisit = {
      async resolve() {
        dialled = await dial();
        return { open: dialled.open };
      },
      async reach() {
        longest = new Promise((resolve) => setTimeout(resolve, LONGEST_MS).unref());
        try {
          socket = (await dialled?.connect()) ?? null;
        } catch (error) {
          throw error instanceof LndFailure ? error : new LndFailure("away", "nothing answers there");
        }
      },
      async handshake() {
        if (socket === null) throw new LndFailure("away", "nothing answers there");
        const secured = await handshake(socket, hostOf(address), certificate);
        secured.destroy();
        return secured.shown;
      },
      ...{ state, inspect, receivableSats, addInvoice, cancelInvoice },
      longest: () => longest,
      close() {
        socket?.destroy();
        close();
      },
    };
    return visit;
  };
}

/** Whatever certificate is shown: nothing is sent afterwards. */
function handshake(
  socket: Socket,
  host: string,
  pem: string | null,
): Promise<{ shown: ShownCertificate; destroy(): void }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => secured.destroy(new LndFailure("not-grpc", NO_TLS)), HANDSHAKE_MS);
    const secured = connectTls({
      socket,
      ...tlsOptions(pem, host),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["h2"],
      rejectUnauthorized: false,
    });
    secured.once("secureConnect", () => {
      clearTimeout(timer);
      const shown = secured.getPeerX509Certificate();
      if (shown === undefined) secured.destroy(new LndFailure("not-grpc", NO_TLS));
      else
        resolve({
          shown: { pem: shown.toString(), problem: problemOf(secured, pem) },
          destroy: () => secured.destroy(),
        });
    });
    secured.once("error", (error: Error) => {
      clearTimeout(timer);
      reject(error instanceof LndFailure ? error : tlsFailure(error));
    });
    secured.once("close", () => reject(new LndFailure("not-grpc", NO_TLS)));
  });
}

const NO_TLS = "what answers at LND's address speaks no TLS";

/** By grpc-js' words for the same. */
function tlsFailure(error: Error): LndFailure {
  const known = failureOf(
    Object.assign(new Error(error.message), { code: 14, details: error.message }),
    null,
  );
  return known.meaning === "not-grpc" ? known : new LndFailure("not-grpc", NO_TLS);
}

function problemOf(
  { authorized, authorizationError }: TLSSocket,
  pem: string | null,
): CertificateProblem | null {
  if (authorized) return null;
  const reason = authorizationError as unknown;
  const code = reason instanceof Error && "code" in reason ? String(reason.code) : String(reason);
  if (code === "CERT_HAS_EXPIRED") return "expired";
  if (code === "CERT_NOT_YET_VALID") return "not-yet-valid";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "names";
  return pem === null ? "authority" : "other";
}
