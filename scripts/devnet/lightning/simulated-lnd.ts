import { Server, ServerCredentials } from "@grpc/grpc-js";
import { makeCertificate } from "./certificate";
import { GrpcServices, type LndFaults } from "./grpc-services";
import type { LightningGrpc, LightningNode, LightningPayment } from "./lightning-node";
import { CHANNEL, LndCore, type WalletState } from "./lnd-core";
import { NodeFiles, type NodeIdentity } from "./node-files";
import { TcpGate } from "../tcp-gate";

const STOP_PATIENCE_MS = 200;

export interface SimulatedLndOptions {
  /** Keeps keys, certificate, macaroons and invoices here over restarts. Default: in memory only. */
  dataDir?: string;
}

/**
 * A regtest LND of our own: real gRPC over TLS, real BOLT 11, LND's rules for invoices and its words, and a customer
 * with a channel. No Lightning network: what the customer pays has arrived.
 */
export class SimulatedLnd implements LightningNode {
  private server: Server | null = null;

  private constructor(
    private readonly files: NodeFiles,
    private identity: NodeIdentity,
    readonly core: LndCore,
    private readonly services: GrpcServices,
    private readonly gate: TcpGate,
  ) {}

  static async start(options: SimulatedLndOptions = {}): Promise<SimulatedLnd> {
    const files = new NodeFiles(options.dataDir ?? null);
    const identity = await files.readIdentity();
    const core = new LndCore(identity, files.invoices);
    const services = new GrpcServices(core, identity.macaroons);
    const node = new SimulatedLnd(files, identity, core, services, TcpGate.make(0));
    await node.open();
    return node;
  }

  get grpc(): LightningGrpc {
    const { certificate, macaroons } = this.identity;
    return {
      url: `127.0.0.1:${this.gate.port}`,
      tlsCert: certificate.cert,
      adminMacaroon: Buffer.from(macaroons.admin, "hex"),
      invoiceMacaroon: Buffer.from(macaroons.invoice, "hex"),
      quittanceMacaroon: Buffer.from(macaroons.quittance, "hex"),
    };
  }

  get nodeKey(): string {
    return this.core.nodeKey;
  }

  /** What tests may break. */
  get faults(): LndFaults {
    return this.services.faults;
  }

  async pay(bolt11: string, options: { amountMsat?: bigint } = {}): Promise<LightningPayment> {
    return this.core.pay(bolt11, options.amountMsat);
  }

  /** The customer's payment has arrived, but is not settled: the invoice is ACCEPTED. */
  hold(bolt11: string): void {
    this.core.hold(bolt11);
  }

  settleHeld(bolt11: string): void {
    this.core.settleHeld(bolt11);
  }

  async receivableSats(): Promise<bigint> {
    return this.core.receivableSats();
  }

  /** As if the customer's side of the channel had so much left. */
  limitReceivable(sats: bigint): void {
    this.core.customerMsat = (sats + CHANNEL.reserveSats) * 1_000n;
  }

  /** The next invoice settles with an index further on: the one between is skipped. */
  skipSettleIndex(): void {
    this.core.book.skipSettleIndex();
  }

  /** Moves the node's clock, so that its invoices expire. */
  advanceClock(seconds: number): void {
    this.core.clockAheadSeconds += seconds;
  }

  /** What State says. Below RPC_ACTIVE every other call is refused. */
  setState(state: WalletState): void {
    this.core.walletState = state;
    this.services.tellState();
  }

  async lock(): Promise<void> {
    this.gate.cut();
    this.setState("LOCKED");
  }

  async unlock(): Promise<void> {
    this.setState("SERVER_ACTIVE");
  }

  /** Resets all connections, and the streams on them. */
  dropConnections(): void {
    this.gate.cut();
  }

  /** Half open from now on: connections stay and new ones are taken, but no byte passes. */
  freeze(): void {
    this.gate.freeze();
  }

  thaw(): void {
    this.gate.thaw();
  }

  async restart(options: { newCertificate?: boolean } = {}): Promise<void> {
    await this.close();
    if (options.newCertificate) {
      this.identity = { ...this.identity, certificate: await makeCertificate() };
      this.files.writeIdentity(this.identity);
    }
    this.core.walletState = "SERVER_ACTIVE";
    await this.open();
  }

  /** `start` with the same folder continues from here; so does `restart`. */
  async stop(): Promise<void> {
    await this.close();
  }

  private async open(): Promise<void> {
    const { cert, key } = this.identity.certificate;
    const server = new Server();
    this.services.addTo(server);
    // With its own as the only root, no system's roots are read: it asks no client for a certificate.
    const credentials = ServerCredentials.createSsl(Buffer.from(cert), [
      { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) },
    ]);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", credentials, (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    this.server = server;
    this.gate.thaw();
    await this.gate.open(port);
  }

  private async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.services.endStreams();
    // Earlier calls are still answered, unless that takes long.
    await Promise.race([
      new Promise<void>((resolve) => (server ? server.tryShutdown(() => resolve()) : resolve())),
      new Promise<void>((resolve) => setTimeout(resolve, STOP_PATIENCE_MS).unref()),
    ]);
    await this.gate.close();
    server?.forceShutdown();
  }
}
