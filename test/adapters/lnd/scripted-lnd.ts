import {
  Server,
  ServerCredentials,
  status,
  type Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { freePort } from "../../../scripts/devnet/free-port";
import type { Certificate } from "../../../scripts/devnet/lightning/certificate";
import { methodOf } from "../../support/raw-lnd";

export type Request = Record<string, unknown>;
type Stream = ServerWritableStream<Request, object>;
/** By its path. Answers, throws `refusal`, or never ends. */
export type Script = Record<
  string,
  | ((request: Request, metadata: Metadata) => object | Promise<object>)
  | { stream: (call: Stream) => void | Promise<void> }
>;

export const refusal = (details: string, code = status.UNKNOWN): Error =>
  Object.assign(new Error(details), { code, details });
export const never = (): Promise<object> => new Promise(() => undefined);

/** LND's gRPC with answers that a sound LND does not give. */
export class ScriptedLnd {
  readonly script: Script = {};
  #server: Server | null = null;

  private constructor(readonly port: number) {}

  static async start(certificate: Certificate, script: Script): Promise<ScriptedLnd> {
    const lnd = new ScriptedLnd(await freePort());
    Object.assign(lnd.script, script);
    await lnd.listen(certificate);
    return lnd;
  }

  /** On the port that it had before. */
  async listen({ cert, key }: Certificate): Promise<void> {
    const server = new Server();
    for (const path of PATHS) {
      const [service = "", name = ""] = path.split("/");
      const method = methodOf(service, name);
      const handler = method.responseStream ? this.#streamer(path) : this.#answerer(path);
      server.addService({ [name]: method }, { [name]: handler });
    }
    const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(
        `127.0.0.1:${this.port}`,
        ServerCredentials.createSsl(Buffer.from(cert), [pair]),
        (error) => (error === null ? resolve() : reject(error)),
      );
    });
    this.#server = server;
  }

  stop(): void {
    this.#server?.forceShutdown();
    this.#server = null;
  }

  #answerer(path: string) {
    return (call: ServerUnaryCall<Request, object>, callback: sendUnaryData<object>): void => {
      const handler = this.script[path];
      if (typeof handler !== "function") return callback(refusal("not in the script", status.UNIMPLEMENTED));
      void (async () => handler(call.request, call.metadata))().then(
        (answer) => callback(null, answer),
        (error: unknown) => callback(error as Error),
      );
    };
  }

  #streamer(path: string) {
    return (call: Stream): void => {
      const handler = this.script[path];
      if (typeof handler === "function" || handler === undefined) throw new Error("not in the script");
      void handler.stream(call);
    };
  }
}

const PATHS = [
  "lnrpc.State/GetState",
  "lnrpc.Lightning/GetInfo",
  "lnrpc.Lightning/ListChannels",
  "lnrpc.Lightning/AddInvoice",
  "lnrpc.Lightning/LookupInvoice",
  "lnrpc.Lightning/SubscribeInvoices",
  "invoicesrpc.Invoices/CancelInvoice",
];
