import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import Router from "@koa/router";
import type { Context } from "koa";
import { describe } from "./route-table";
import type { ApiState } from "./state";

// The API's description for people, by Swagger UI (docs/adr/0011). Nothing of it comes from another host, nothing is
// inline, and it asks for no key: keys belong on servers.

const PACKAGE_FILE = require.resolve("swagger-ui-dist/package.json");
const { version: UI_VERSION } = JSON.parse(readFileSync(PACKAGE_FILE, "utf8")) as { version: string };

/** What the page needs of the package; the rest of it is not served. */
const ASSETS: Readonly<Record<string, string>> = {
  "swagger-ui-bundle.js": "text/javascript",
  "swagger-ui.css": "text/css",
  "favicon-32x32.png": "image/png",
};

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Relative addresses: the service may stand below a path of its host. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Quittance API</title>
    <link rel="stylesheet" href="docs/${UI_VERSION}/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/${UI_VERSION}/favicon-32x32.png">
  </head>
  <body>
    <div id="api"></div>
    <noscript>The same as a file for tools: <a href="openapi.json">openapi.json</a></noscript>
    <script src="docs/${UI_VERSION}/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#api",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  supportedSubmitMethods: [],
  validatorUrl: null,
  plugins: [() => ({ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } })],
});
`;

/** What changes with a new version of ours is asked for each time, and sent again only when it did. */
function answer(koa: Context, type: string, text: string): void {
  koa.type = type;
  koa.body = text;
  koa.etag = createHash("sha256").update(text).digest("base64url");
  koa.set("Cache-Control", "no-cache");
  koa.status = 200;
  if (koa.fresh) koa.status = 304;
}

/** `/openapi.json` and `/docs`: outside of `/api/v1`, without a key. */
export function pagesRouter(version: string): Router<ApiState> {
  const router = new Router<ApiState>({ sensitive: true });
  router.get("/openapi.json", (koa) => answer(koa, "application/json", describe(version)));
  router.get("/docs", (koa) => {
    koa.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    answer(koa, "text/html", PAGE);
  });
  router.get("/docs/start.js", (koa) => answer(koa, "text/javascript", START));
  for (const [name, type] of Object.entries(ASSETS))
    router.get(`/docs/${UI_VERSION}/${name}`, (koa) => {
      koa.type = type;
      koa.body = readFileSync(path.join(path.dirname(PACKAGE_FILE), name));
      koa.set("Cache-Control", "public, max-age=31536000, immutable");
    });
  return router;
}
