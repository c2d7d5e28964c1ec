/** Whether a URL's host is this machine: what is sent there passes no network. An empty one and a path are a socket. */
export function isThisHost(host: string): boolean {
  return host === "" || host.startsWith("/") || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
}
