import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A browser with an authenticator in it (WebAuthn): ES256, no attestation, the user verified. */
export interface Authenticator {
  credentialId: string;
  /** Uses so far, as it reports them. */
  counter: number;
  register(options: Asked): object;
  logIn(options: Asked): object;
}

interface Asked {
  challenge: string;
}
export interface AuthenticatorOptions {
  origin: string;
  /** The host that it is tied to. */
  rpId?: string;
  /** Default true. */
  userVerified?: boolean;
}

const base64url = (bytes: Buffer): string => bytes.toString("base64url");
const sha256 = (bytes: string | Buffer): Buffer => createHash("sha256").update(bytes).digest();

// CBOR (RFC 8949), as far as it is needed.
const head = (major: number, value: number): Buffer => {
  if (value < 24) return Buffer.of((major << 5) | value);
  if (value < 256) return Buffer.of((major << 5) | 24, value);
  return Buffer.of((major << 5) | 25, value >> 8, value & 255);
};
const integer = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);
const word = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (...entries: [Buffer, Buffer][]): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);

export function makeAuthenticator({
  origin,
  rpId = new URL(origin).hostname,
  userVerified = true,
}: AuthenticatorOptions): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  const coseKey = map(
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, "base64url"))],
    [integer(-3), bytes(Buffer.from(y, "base64url"))],
  );
  const present = 0x01 | (userVerified ? 0x04 : 0);
  const authenticatorData = (flags: number, counter: number): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.of(flags), count]);
  };
  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const credential = (response: object) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });
  return {
    credentialId: base64url(id),
    counter: 0,
    register({ challenge }) {
      const length = Buffer.of(id.length >> 8, id.length & 255);
      const authData = Buffer.concat([
        authenticatorData(present | 0x40, this.counter),
        Buffer.alloc(16),
        length,
        id,
        coseKey,
      ]);
      const attestation = map(
        [word("fmt"), word("none")],
        [word("attStmt"), map()],
        [word("authData"), bytes(authData)],
      );
      return credential({
        clientDataJSON: base64url(clientData("webauthn.create", challenge)),
        attestationObject: base64url(attestation),
        transports: ["internal"],
      });
    },
    logIn({ challenge }) {
      this.counter += 1;
      const authData = authenticatorData(present, this.counter);
      const clientDataJSON = clientData("webauthn.get", challenge);
      const signature = sign("sha256", Buffer.concat([authData, sha256(clientDataJSON)]), privateKey);
      return credential({
        clientDataJSON: base64url(clientDataJSON),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
      });
    },
  };
}
