import { expect } from "chai";
import { presentProblem, type ProblemCode } from "../../api/http/present-problem";
import { INVOICE_EXAMPLE } from "../../api/invoices/answer";
import { checkAnswer } from "./check-answer";

const PATH = "/api/v1/stores/s/invoices/inv_x";

describe("the check of every answer", () => {
  const check = (
    body: object,
    init: { status?: number; headers?: Record<string, string> } = {},
    path = PATH,
  ) => {
    const { status = 200, headers = {} } = init;
    const response = new Response(null, {
      status,
      headers: {
        "content-type": status < 400 ? "application/json; charset=utf-8" : "application/problem+json",
        "x-request-id": "req_x",
        ...headers,
      },
    });
    checkAnswer("GET", path, response, JSON.stringify(body));
  };
  const problem = (code: ProblemCode) => presentProblem(code, { detail: "It is so.", requestId: "req_x" });

  it("accepts answers as described", () => {
    check(INVOICE_EXAMPLE);
    check(problem("invoice-not-found"), { status: 404 });
    check(problem("route-not-found"), { status: 404 }, "/api/v1/nothing");
  });

  const wrong: [string, () => void][] = [
    ["a field that is not described", () => check({ ...INVOICE_EXAMPLE, secret: 1 })],
    ["a field that is missing", () => check({ ...INVOICE_EXAMPLE, status: undefined })],
    ["a field of another type", () => check({ ...INVOICE_EXAMPLE, dueSats: "1" })],
    ["another status of success", () => check(INVOICE_EXAMPLE, { status: 201 })],
    ["another content type", () => check(INVOICE_EXAMPLE, { headers: { "content-type": "text/html" } })],
    ["a CORS header", () => check(INVOICE_EXAMPLE, { headers: { "access-control-allow-origin": "*" } })],
    ["an error that is not declared", () => check(problem("pruned"), { status: 409 })],
    ["an error that is no problem", () => check({ error: "no" }, { status: 404 })],
    ["an error of another status", () => check(problem("invoice-not-found"), { status: 400 })],
    [
      "another request's error",
      () => check({ ...problem("rate-limited"), requestId: "req_y" }, { status: 429 }),
    ],
    ["a 401 without WWW-Authenticate", () => check(problem("unauthenticated"), { status: 401 })],
    ["an answer of a route that is not described", () => check({}, {}, "/api/v1/nothing")],
  ];
  for (const [name, act] of wrong) it(`refuses ${name}`, () => expect(act).to.throw());
});
