import { readFileSync } from "node:fs";
import path from "node:path";
import Router from "@koa/router";
import { KEPT } from "../http/built-files";
import { html } from "../http/html";
import type { ApiState } from "../http/state";
import { TASK_LINKS, taskSections } from "./reference-samples";
import { STYLE } from "./reference-style";
import { webhookSection } from "./reference-webhook";
import { SharedFile } from "./shared-file";

// Swagger UI (docs/adr/0016). No other hosts, nothing inline, and no key: keys belong on servers.

const PACKAGE_FILE = require.resolve("swagger-ui-dist/package.json");
const { version: UI_VERSION } = JSON.parse(readFileSync(PACKAGE_FILE, "utf8")) as { version: string };

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

/** Relative URLs: the service may be below a path. */
const page = (): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Quittance API</title>
        <link rel="stylesheet" href="docs/${UI_VERSION}/swagger-ui.css" />
        <link rel="stylesheet" href="docs/reference.css" />
        <link rel="icon" type="image/png" href="docs/${UI_VERSION}/favicon-32x32.png" />
      </head>
      <body>
        <main>
          <div class="guide">
            <h1>Quittance API</h1>
            <p>
              The samples run as they are, without packages. Set <code>BASE_URL</code> to the address of this
              server, and <code>STORE_ID</code> and <code>API_KEY</code> to your store's id and one of its
              keys. Keep the key on servers.
            </p>
            <ol>
              ${TASK_LINKS}
            </ol>
            <ul>
              <li><a href="#the-webhook-request">The webhook request</a></li>
              <li><a href="#all-operations">All operations</a></li>
              <li><a href="openapi.json">The same as OpenAPI 3.1</a>, for tools</li>
            </ul>
            ${taskSections()} ${webhookSection()}
            <h2 id="all-operations">All operations</h2>
            <noscript
              >This list needs JavaScript. The operations are also in
              <a href="openapi.json">openapi.json</a>.</noscript
            >
          </div>
          <div id="api"></div>
        </main>
        <script src="docs/${UI_VERSION}/swagger-ui-bundle.js"></script>
        <script src="docs/start.js"></script>
      </body>
    </html> `.text;

const START = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#api",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  supportedSubmitMethods: [],
  validatorUrl: null,
  plugins: [({ React }) => ({ wrapComponents: {
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,
    parameters: (Parameters) => (props) => {
      const samples = props.operation.get("x-codeSamples");
      const source = samples && samples.getIn([0, "source"]);
      return React.createElement(React.Fragment, null, React.createElement(Parameters, props), source &&
        React.createElement("pre", { className: "curl", tabIndex: 0, "aria-label": "curl" }, React.createElement("code", null, source)));
    },
  } })],
});
`;

/** Outside of `/api/v1`, without a key. */
export function pagesRouter(describe: () => string): Router<ApiState> {
  const router = new Router<ApiState>({ sensitive: true });
  const text = (type: string, made: () => string) => new SharedFile(type, () => Buffer.from(made()));
  const description = text("application/json", describe);
  const reference = text("text/html", page);
  const files: Readonly<Record<string, SharedFile>> = {
    "reference.css": text("text/css", () => STYLE),
    "start.js": text("text/javascript", () => START),
    ...Object.fromEntries(
      Object.entries(ASSETS).map(([name, type]) => [
        `${UI_VERSION}/${name}`,
        new SharedFile(type, () => asset(name), KEPT),
      ]),
    ),
  };
  router.get("/openapi.json", (koa) => description.serve(koa));
  router.get("/docs", async (koa) => {
    koa.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    await reference.serve(koa);
  });
  for (const [name, file] of Object.entries(files)) router.get(`/docs/${name}`, (koa) => file.serve(koa));
  return router;
}

const asset = (name: string): Buffer => readFileSync(path.join(path.dirname(PACKAGE_FILE), name));
