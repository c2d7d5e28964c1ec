import { Resolver } from "node:dns/promises";
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { SendFailure } from "./send-failure";

const HOSTS_FILE = "/etc/hosts";
/** For the first try at a name server; c-ares doubles it for the second. */
const TRY_MS = 1_500;
const TRIES = 2;
/** In total, with any number of name servers: the rest of a request's deadline is for the request. */
const LOOKUP_MS = 5_000;

/** All addresses of a host name. Rejects with SendFailure `dns-failed` if there are none. */
export type Resolve = (host: string) => Promise<string[]>;

export interface ResolveOptions {
  /** Name servers (`address` or `address:port`) instead of the system's. */
  servers?: readonly string[];
  hostsFile?: string;
}

/**
 * Resolves names without getaddrinfo, every call of which occupies one of the process's few threads: first by the
 * hosts file, then by c-ares, whose look-ups wait on sockets of their own and are cancelled at a deadline. Names
 * are absolute: the search domains of resolv.conf are not appended, so that a name that does not resolve never
 * becomes one of the operator's network. Concurrent look-ups of the same name are shared. Answers are not cached.
 */
export function makeResolve({ servers, hostsFile = HOSTS_FILE }: ResolveOptions = {}): Resolve {
  const inHostsFile = hostsReader(hostsFile);
  return sharingLookups(async (host) => {
    const name = host.toLowerCase().replace(/\.$/, "");
    const listed = await inHostsFile(name);
    if (listed !== undefined) return listed;
    // RFC 6761: name servers are not queried for it.
    if (name === "localhost" || name.endsWith(".localhost")) return ["127.0.0.1", "::1"];
    return ask(name, servers);
  });
}

export function sharingLookups(resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<string[]>>();
  return (host) => {
    const shared = underWay.get(host) ?? resolve(host).finally(() => underWay.delete(host));
    underWay.set(host, shared);
    return shared;
  };
}

/** A resolver per name, since cancelling one cancels all of its look-ups. */
async function ask(name: string, servers: readonly string[] | undefined): Promise<string[]> {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const deadline = setTimeout(() => resolver.cancel(), LOOKUP_MS);
  try {
    // For hosts with one kind of address the other query fails, or is never answered.
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length === 0) throw new SendFailure("dns-failed");
    return addresses;
  } finally {
    clearTimeout(deadline);
  }
}

type HostNames = ReadonlyMap<string, string[]>;

/** Reads the file again when it has changed. A file that cannot be read is treated as empty. */
function hostsReader(file: string): (name: string) => Promise<string[] | undefined> {
  let known: { changedAt: number; size: number; names: HostNames } | null = null;
  return async (name) => {
    try {
      const { mtimeMs: changedAt, size } = await stat(file);
      if (known?.changedAt !== changedAt || known.size !== size)
        known = { changedAt, size, names: parseHosts(await readFile(file, "utf8")) };
    } catch {
      known = null;
    }
    return known?.names.get(name);
  };
}

function parseHosts(text: string): HostNames {
  const names = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...given] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of given) {
      const key = name.toLowerCase().replace(/\.$/, "");
      names.set(key, [...(names.get(key) ?? []), address]);
    }
  }
  return names;
}
