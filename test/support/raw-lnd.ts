import {
  Client,
  credentials,
  Metadata,
  status,
  type MethodDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { lndService } from "../../adapters/lnd/protos";
import type { LightningGrpc } from "./devnet/lightning-node";

export function methodOf(service: string, name: string): MethodDefinition<object, object> {
  const method = lndService(service)[name];
  if (method === undefined) throw new Error(`LND's protocol files have no ${service}/${name}`);
  return method as MethodDefinition<object, object>;
}

/** What LND refuses, as it stands on the wire. */
export interface Refusal {
  code: string;
  details: string;
}

export type RawMessage = Record<string, unknown>;

/** LND's gRPC without our adapter: any method, any macaroon, and the refusals in its own words. */
export class RawLnd {
  private readonly client: Client;

  constructor(
    { url, tlsCert }: Pick<LightningGrpc, "url" | "tlsCert">,
    private readonly macaroon: Buffer | null,
  ) {
    this.client = new Client(url, credentials.createSsl(Buffer.from(tlsCert)), {
      "grpc.use_local_subchannel_pool": 1,
      // TLS does not allow an address as name (RFC 6066, section 3).
      "grpc.ssl_target_name_override": "localhost",
    });
  }

  close(): void {
    this.client.close();
  }

  call(service: string, method: string, request: object = {}): Promise<RawMessage> {
    const { path, requestSerialize, responseDeserialize } = methodOf(service, method);
    const options = { deadline: Date.now() + 10_000 };
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        this.metadata(),
        options,
        (error, answer) => {
          if (error) reject(error);
          else resolve(answer as RawMessage);
        },
      );
    });
  }

  /** The refusal of a call that must not succeed. */
  async refusal(service: string, method: string, request: object = {}): Promise<Refusal> {
    return this.call(service, method, request).then(
      () => {
        throw new Error(`${method} was not refused`);
      },
      (error: unknown) => refusalOf(error as ServiceError),
    );
  }

  /** What a stream sends from now on, and how it ended: LND ends its streams without an error when it stops. */
  stream(service: string, method: string, request: object = {}): RawStream {
    const { path, requestSerialize, responseDeserialize } = methodOf(service, method);
    const call = this.client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      this.metadata(),
    );
    const stream: RawStream = { messages: [], ended: null, cancel: () => call.cancel() };
    call.on("data", (message: RawMessage) => stream.messages.push(message));
    call.on("end", () => (stream.ended ??= { code: "OK", details: "" }));
    call.on("error", (error: ServiceError) => (stream.ended = refusalOf(error)));
    // An LND that stops in order ends its streams without one.
    call.on("end", () => (stream.ended ??= { code: "OK", details: "" }));
    return stream;
  }

  private metadata(): Metadata {
    const metadata = new Metadata();
    if (this.macaroon !== null) metadata.set("macaroon", this.macaroon.toString("hex"));
    return metadata;
  }
}

export interface RawStream {
  messages: RawMessage[];
  ended: Refusal | null;
  cancel(): void;
}

function refusalOf(error: ServiceError): Refusal {
  return { code: status[error.code] ?? String(error.code), details: error.details };
}
