import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { bindWhenFree } from "./bind";
import { RPC, RpcError } from "./rpc-error";

export type RpcHandler = (method: string, params: readonly unknown[]) => unknown;

export type Answering = (answer: () => string) => Promise<string> | string;

interface Request {
  id?: unknown;
  method?: unknown;
  params?: unknown;
}

/** JSON-RPC over HTTP with basic authentication, as bitcoind has it (1.0, and batches). */
export class RpcServer {
  private constructor(private readonly server: Server) {}

  /** @param answering Calls its argument for the text of an answer, at once unless a test has it otherwise. */
  static async listen(
    handler: RpcHandler,
    { port, credentials, answering }: { port: number; credentials: string; answering: Answering },
  ): Promise<RpcServer> {
    const server = createServer((request, response) => {
      answer(request, response, { handler, credentials, answering }).catch(() => response.destroy());
    });
    await bindWhenFree(async () => {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    });
    return new RpcServer(server);
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { handler, credentials, answering }: { handler: RpcHandler; credentials: string; answering: Answering },
): Promise<void> {
  const asked = await text(request);
  if (!authorised(request.headers.authorization ?? "", credentials)) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="jsonrpc"' }).end();
    return;
  }
  if (request.method !== "POST") {
    response.writeHead(405).end("JSONRPC server handles only POST requests");
    return;
  }
  const answered = await answering(() => {
    const { status, body } = handle(asked, handler);
    response.statusCode = status;
    return `${JSON.stringify(body)}\n`;
  });
  response.setHeader("content-type", "application/json").end(answered);
}

function authorised(header: string, credentials: string): boolean {
  const expected = Buffer.from(`Basic ${Buffer.from(credentials).toString("base64")}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function handle(text: string, handler: RpcHandler): { status: number; body: unknown } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { status: 500, body: reply({}, null, new RpcError(RPC.parse, "Parse error")) };
  }
  if (Array.isArray(parsed)) {
    return { status: 200, body: parsed.map((request: unknown) => one(request, handler).body) };
  }
  return one(parsed, handler);
}

function one(value: unknown, handler: RpcHandler): { status: number; body: unknown } {
  const request: Request = typeof value === "object" && value !== null ? value : {};
  try {
    if (typeof request.method !== "string") throw new RpcError(RPC.invalidRequest, "Missing method");
    const params = request.params ?? [];
    if (!Array.isArray(params)) throw new RpcError(RPC.invalidRequest, "Params must be an array");
    return { status: 200, body: reply(request, handler(request.method, params) ?? null, null) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { status: statusOf(error), body: reply(request, null, error) };
  }
}

function statusOf(error: RpcError): number {
  if (error.code === RPC.methodNotFound) return 404;
  return error.code === RPC.invalidRequest ? 400 : 500;
}

function reply({ id = null }: Request, result: unknown, error: RpcError | null): unknown {
  return { result, error: error && { code: error.code, message: error.message }, id };
}
