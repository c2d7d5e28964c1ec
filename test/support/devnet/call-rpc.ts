import { RpcError } from "../../../scripts/devnet/bitcoin/rpc-error";

/** By position or by name. */
export type RpcParams = readonly unknown[] | Readonly<Record<string, unknown>>;

/** One JSON-RPC call to a node at `http://user:password@host:port`. Rejects with RpcError for what the node refuses. */
export async function callRpc<T>(rpcUrl: string, method: string, params: RpcParams): Promise<T> {
  const url = new URL(rpcUrl);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const response = await fetch(new URL(url.pathname, url.origin), {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
    body: JSON.stringify({ jsonrpc: "1.0", id: 1, method, params }),
  });
  const text = await response.text();
  if (text === "") throw new Error(`${method}: HTTP ${response.status}`);
  const answer = JSON.parse(text) as { result: T; error: { code: number; message: string } | null };
  if (answer.error) throw new RpcError(answer.error.code, answer.error.message);
  return answer.result;
}
