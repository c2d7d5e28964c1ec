import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A website of its own origin. */
export interface Shop {
  /** Without a slash at the end. */
  origin: string;
  /** What a path answers from now on, with a Content-Security-Policy or none. */
  page(path: string, content: string, policy?: string): void;
  script(path: string, content: string): void;
  /** What a path leads on to. */
  redirect(path: string, to: string): void;
  /** What forms have sent to it, the oldest first. */
  posts: { url: string; body: string }[];
  close(): Promise<void>;
}

export async function startShop(host: "localhost" | "127.0.0.1"): Promise<Shop> {
  const answers = new Map<string, { body: string; headers: Record<string, string>; status?: number }>();
  const posts: Shop["posts"] = [];
  const server = createServer((request, response) => {
    if (request.method === "POST")
      void text(request).then((body) => posts.push({ url: request.url ?? "", body }));
    const found = answers.get(new URL(request.url ?? "/", "http://shop").pathname);
    response.writeHead(found === undefined ? 204 : (found.status ?? 200), found?.headers).end(found?.body); // 204: browsers ask for an icon
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    page: (path, body, policy) =>
      void answers.set(path, {
        body,
        headers: {
          "content-type": "text/html; charset=utf-8",
          ...(policy === undefined ? {} : { "content-security-policy": policy }),
        },
      }),
    script: (path, body) => void answers.set(path, { body, headers: { "content-type": "text/javascript" } }),
    redirect: (path, location) => void answers.set(path, { body: "", headers: { location }, status: 303 }),
    posts,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
