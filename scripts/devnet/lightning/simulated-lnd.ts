import { Server, ServerCredentials } from "@grpc/grpc-js";
import { GrpcServices } from "./grpc-services";
import { LndCore, type LightningPayment } from "./lnd-core";
import { NodeFiles, type NodeIdentity } from "./node-files";

const STOP_PATIENCE_MS = 200;

export interface SimulatedLndOptions {
  /** Keeps keys, certificate, macaroons and invoices here over restarts. Default: in memory only. */
  dataDir?: string;
}

/**
 * A regtest LND of our own: real gRPC over TLS, real BOLT 11, LND's rules for invoices and its words, and a customer
 * with a channel. No Lightning network: what the customer pays has arrived.
 */
export class SimulatedLnd {
  private server: Server | null = null;
  protected port = 0;

  protected constructor(
    protected identity: NodeIdentity,
    readonly core: LndCore,
    protected readonly services: GrpcServices,
  ) {}

  static async start(options: SimulatedLndOptions = {}): Promise<SimulatedLnd> {
    const files = new NodeFiles(options.dataDir ?? null);
    const identity = await files.readIdentity();
    const core = new LndCore(identity, files.invoices);
    const node = new SimulatedLnd(identity, core, new GrpcServices(core, identity.macaroons));
    await node.open();
    return node;
  }

  get grpc() {
    const { certificate, macaroons } = this.identity;
    return {
      url: `127.0.0.1:${this.port}`,
      tlsCert: certificate.cert,
      adminMacaroon: Buffer.from(macaroons.admin, "hex"),
      invoiceMacaroon: Buffer.from(macaroons.invoice, "hex"),
      quittanceMacaroon: Buffer.from(macaroons.quittance, "hex"),
    };
  }

  get nodeKey(): string {
    return this.core.nodeKey;
  }

  async pay(bolt11: string, options: { amountMsat?: bigint } = {}): Promise<LightningPayment> {
    return this.core.pay(bolt11, options.amountMsat);
  }

  /** `start` with the same folder continues from here. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.services.endStreams();
    // Earlier calls are still answered, unless that takes long.
    await Promise.race([
      new Promise<void>((resolve) => (server ? server.tryShutdown(() => resolve()) : resolve())),
      new Promise<void>((resolve) => setTimeout(resolve, STOP_PATIENCE_MS).unref()),
    ]);
    server?.forceShutdown();
  }

  protected async open(): Promise<void> {
    const { cert, key } = this.identity.certificate;
    const server = new Server();
    this.services.addTo(server);
    // With its own as the only root, no system's roots are read: it asks no client for a certificate.
    const credentials = ServerCredentials.createSsl(Buffer.from(cert), [
      { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) },
    ]);
    this.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", credentials, (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    this.server = server;
  }
}
