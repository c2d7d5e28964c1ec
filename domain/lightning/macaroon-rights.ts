/** A right in LND's words: `invoices:read`, `uri:/lnrpc.Lightning/SendPaymentSync`. */
type Right = string;

export const BAKE_MACAROON =
  "lncli bakemacaroon --save_to quittance.macaroon invoices:read invoices:write info:read offchain:read";

/** Without these a store's node is of no use. */
const NEEDED: readonly Right[] = ["invoices:read", "invoices:write"];
const WELCOME: readonly Right[] = ["info:read", "offchain:read"];
/** Both are in LND's own invoice.macaroon, and neither can spend. */
const MAY_WRITE: readonly Right[] = ["invoices:write", "address:write"];

/** Its bytes are not a macaroon as LND makes them. */
class UnreadableError extends Error {}

export interface MacaroonJudgement {
  /** Null: may be used. */
  refusal: string | null;
  /** Used without them, and less is known about the node. */
  lacks: readonly Right[];
}

/**
 * By what the macaroon itself says: before anything is sent. Its caveats only take away, so that they are not counted on.
 */
export function judgeMacaroon(hex: string): MacaroonJudgement {
  const rights = readMacaroonRights(Buffer.from(hex, "hex"));
  if (rights === null)
    return refused("The macaroon cannot be read: it is not a macaroon of LND, or a part of it is missing.");
  const excess = rights.filter((right) => !mayHold(right));
  if (excess.length > 0)
    return refused(
      `This macaroon can do more than take payments (${shortList(excess)}): what could spend is not kept here.`,
    );
  const missing = NEEDED.filter((right) => !rights.includes(right));
  if (missing.length > 0) return refused(`The macaroon lacks the right ${missing.join(" and ")}.`);
  return { refusal: null, lacks: WELCOME.filter((right) => !rights.includes(right)) };
}

/** A `uri:` names a call of its own, whatever the action is called. */
const mayHold = (right: Right): boolean =>
  !right.startsWith("uri:") && (right.endsWith(":read") || MAY_WRITE.includes(right));

function refused(reason: string): MacaroonJudgement {
  return { refusal: `${reason} Make the right one on the node: ${BAKE_MACAROON}`, lacks: [] };
}

const SHOWN_MAX = 5;
const shortList = (rights: readonly Right[]): string =>
  [
    ...rights.slice(0, SHOWN_MAX).map((right) => right.slice(0, 60)),
    ...(rights.length > SHOWN_MAX ? ["…"] : []),
  ].join(", ");

/** Null for what is not a macaroon of LND (libmacaroons' version 2, LND's identifier of version 3). */
function readMacaroonRights(bytes: Buffer): Right[] | null {
  try {
    return rightsIn(identifierOf(bytes));
  } catch (error) {
    if (error instanceof UnreadableError) return null;
    throw error;
  }
}

/** Numbers and fields as libmacaroons and protobuf both write them. */
class FieldReader {
  #at = 0;
  constructor(private readonly bytes: Buffer) {}

  get done(): boolean {
    return this.#at >= this.bytes.length;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.bytes[this.#at];
      if (byte === undefined) break;
      this.#at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new UnreadableError();
  }

  field(): Buffer {
    const length = this.number();
    const field = this.bytes.subarray(this.#at, this.#at + length);
    if (field.length !== length) throw new UnreadableError();
    this.#at += length;
    return field;
  }

  expect(number: number): void {
    if (this.number() !== number) throw new UnreadableError();
  }
}

const VERSION = 2;
const END = 0;
const LOCATION = 1;
const IDENTIFIER = 2;
const VERIFICATION_ID = 4;
const SIGNATURE = 6;

/** Nothing may be left over: what LND would read otherwise than this function is refused. */
function identifierOf(bytes: Buffer): Buffer {
  const reader = new FieldReader(bytes);
  reader.expect(VERSION);
  const head = section(reader);
  while (section(reader).size > 0);
  reader.expect(SIGNATURE);
  const signature = reader.field();
  const identifier = head.get(IDENTIFIER);
  if (identifier === undefined || signature.length !== 32 || !reader.done) throw new UnreadableError();
  return identifier;
}

/** Its fields in rising order, each once; empty after the last caveat. */
function section(reader: FieldReader): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  for (let last = END, type = reader.number(); type !== END; last = type, type = reader.number()) {
    if (type <= last || ![LOCATION, IDENTIFIER, VERIFICATION_ID].includes(type)) throw new UnreadableError();
    fields.set(type, reader.field());
  }
  return fields;
}

const IDENTIFIER_VERSION = 3;
/** Protobuf keys of MacaroonId (nonce, storageId, ops) and of Op (entity, actions), all with a length. */
const [NONCE, STORAGE_ID, OPS] = [0x0a, 0x12, 0x1a];
const [ENTITY, ACTIONS] = [0x0a, 0x12];

function rightsIn(identifier: Buffer): Right[] {
  if (identifier[0] !== IDENTIFIER_VERSION) throw new UnreadableError();
  const rights: Right[] = [];
  for (const [key, value] of messageIn(identifier.subarray(1))) {
    if (key === OPS) rights.push(...rightsOf(value));
    else if (key !== NONCE && key !== STORAGE_ID) throw new UnreadableError();
  }
  return rights;
}

function rightsOf(operation: Buffer): Right[] {
  const fields = [...messageIn(operation)];
  const texts = (wanted: number) =>
    fields.filter(([key]) => key === wanted).map(([, value]) => value.toString("utf8"));
  const [entity, ...others] = texts(ENTITY);
  if (entity === undefined || others.length > 0 || fields.some(([key]) => key !== ENTITY && key !== ACTIONS))
    throw new UnreadableError();
  return texts(ACTIONS).map((action) => `${entity}:${action}`);
}

function* messageIn(bytes: Buffer): Generator<[key: number, value: Buffer]> {
  const reader = new FieldReader(bytes);
  while (!reader.done) yield [reader.number(), reader.field()];
}
