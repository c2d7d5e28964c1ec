/** An empty host and a path are a socket. */
export function isThisHost(host: string): boolean {
  return host === "" || host.startsWith("/") || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
}
