import type { IncomingMessage } from "node:http";
import type { Log } from "../../commands/ports";
import { cameByUnnamedProxy, lacksNamedProxy } from "../../domain/client-address";
import type { AddressRange } from "../../domain/ip-address";

const CONSEQUENCE = "All clients count as one address, and one of them can lock all others out.";

export type ProxyWatch = ReturnType<typeof watchProxies>;

/** Logs at once if the settings exclude clients' own addresses. */
export function watchProxies({
  publicUrl,
  trustedProxies,
  log,
}: {
  publicUrl: string;
  trustedProxies: readonly AddressRange[];
  log: Log;
}) {
  const unset = lacksNamedProxy(publicUrl, trustedProxies)
    ? `PUBLIC_URL is https and TRUST_PROXY is empty. ${CONSEQUENCE} Set TRUST_PROXY to the reverse proxy's address.`
    : null;
  if (unset !== null) log.warn({}, `proxy: ${unset}`);
  let unnamed: string | null = null;
  return {
    /** Logged once. */
    look({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): void {
      if (unnamed !== null) return;
      const { remoteAddress = "" } = socket;
      if (!cameByUnnamedProxy(remoteAddress, headers["x-forwarded-for"]?.toString(), trustedProxies)) return;
      unnamed = `X-Forwarded-For comes from a proxy that TRUST_PROXY does not name. ${CONSEQUENCE} Add its address to TRUST_PROXY.`;
      log.warn({ proxy: remoteAddress }, `proxy: ${unnamed}`);
    },
    /** Without addresses; null: none. */
    remark: () => unnamed ?? unset,
  };
}
