import { expect } from "chai";
import { PROBLEMS } from "../../../api/http/present-problem";
import { SESSION_ROUTES } from "../../../api/route-table";
import { entryRoutes } from "../../../api/dashboard/account/entry-routes";
import type { RouteDefinition } from "../../../api/http/route";
import { problemAnswer } from "../../../api/http/schemas/problem";
import { PASSWORD } from "../../support/factories";

/** The members that tests look into by name. */
export interface BrowserJson extends Record<string, unknown> {
  code: string;
  next: string;
  user: { userId: string; email: string; admin: boolean };
  sudo: boolean;
  secret: string;
  uri: string;
  recoveryCodes: [string, ...string[]];
  options: { challenge: string } & Record<string, unknown>;
  data: [BrowserJson, ...BrowserJson[]];
  sessionId: string;
  passkeyId: string;
  errors: { pointer: string; message: string }[];
}

export interface BrowserAnswer {
  status: number;
  headers: Headers;
  text: string;
  json: BrowserJson;
}

export interface Browser {
  /** Name and value of each cookie that it holds. */
  jar: Map<string, string>;
  /** Sends a request as our own page does and holds the answer against its route's schema; `path` below `/api/dashboard`. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<BrowserAnswer>;
}

function routeOf(method: string, path: string): RouteDefinition | undefined {
  const [bare = ""] = path.split("?");
  const given = bare.split("/");
  return [...entryRoutes, ...SESSION_ROUTES].find((route) => {
    const wanted = route.path.split("/");
    return (
      route.method === method.toLowerCase() &&
      wanted.length === given.length &&
      wanted.every((part, index) => part.startsWith(":") || part === given[index])
    );
  });
}

function check(method: string, path: string, response: Response, text: string): void {
  const what = `${method} ${path} ${response.status} ${text}`;
  if (response.status >= 400) {
    expect(response.headers.get("content-type"), what).to.equal("application/problem+json");
    const problem = problemAnswer.parse(JSON.parse(text));
    expect(problem, what).to.include(PROBLEMS[problem.code]);
    if (response.status === 401) expect(response.headers.get("www-authenticate"), what).to.match(/^Session /);
    if (response.status === 429) expect(Number(response.headers.get("retry-after")), what).to.be.above(0);
    return;
  }
  const route = routeOf(method, path);
  expect(response.status, what).to.equal(route?.success);
  const schema = route?.answer ?? null;
  if (schema === null) expect(text, what).to.equal("");
  else expect(schema.safeParse(JSON.parse(text)).error?.issues ?? [], what).to.deep.equal([]);
}

/** A browser at the dashboard, with a jar of cookies of its own. */
export function openBrowser(base: string): Browser {
  const jar = new Map<string, string>();
  return {
    jar,
    async ask(method, path, body, headers = {}) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(`${base}/api/dashboard${path}`, {
        method,
        headers: {
          "sec-fetch-site": "same-origin",
          "user-agent": "Test browser",
          ...(cookie === "" ? {} : { cookie }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === "") jar.delete(name);
        else jar.set(name, value);
      }
      check(method, path, response, text);
      const json = (text === "" ? {} : JSON.parse(text)) as BrowserJson;
      return { status: response.status, headers: response.headers, text, json };
    },
  };
}

/** A browser that is logged in. */
export async function logInAs(base: string, email: string): Promise<Browser> {
  const browser = openBrowser(base);
  const { status, text } = await browser.ask("POST", "/login", { email, password: PASSWORD });
  expect(status, text).to.equal(200);
  return browser;
}
