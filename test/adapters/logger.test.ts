import { expect } from "chai";
import { QueryFailedError } from "typeorm";
import { makeLogger } from "../../adapters/logger";

describe("the log", () => {
  function logged(write: (log: ReturnType<typeof makeLogger>) => void): Record<string, unknown>[] {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    write(makeLogger({ level: "info", worker: "invoices", instance: "ins_1", destination }));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it("is one JSON object per line, with the worker and its instance", () => {
    const [line] = logged((log) => log.warn({ invoiceId: "inv_1" }, "something"));
    expect(line).to.include({
      level: "warn",
      worker: "invoices",
      instance: "ins_1",
      invoiceId: "inv_1",
      message: "something",
    });
    expect(new Date(String(line?.time)).toISOString()).to.equal(line?.time);
  });

  it("takes no field that each line has by itself", () => {
    // @ts-expect-error the line would have the key twice
    const [line] = logged((log) => log.warn({ worker: "another" }, "something"));
    expect(line?.level).to.equal("warn");
  });

  it("goes by an output that PM2 has replaced, into the log file of an app of its cluster", () => {
    const lines: string[] = [];
    const value = (line: string): boolean => lines.push(line) > 0;
    Object.defineProperty(process.stdout, "write", { value, configurable: true });
    try {
      makeLogger({ level: "info", worker: "api", instance: "ins_1" }).info({}, "ready");
    } finally {
      Reflect.deleteProperty(process.stdout, "write");
    }
    expect(lines.join("")).to.include('"message":"ready"');
  });

  it("leaves out what is below its level", () => {
    expect(logged((log) => log.debug({}, "nothing"))).to.deep.equal([]);
  });

  it("hides fields whose names suggest a secret", () => {
    const headers = { "x-api-key": "s3cret", authorization: "s3cret", host: "shop.example" };
    const fields = { apiKey: "s3cret", storeId: "st_1", headers, none: null, list: [{ token: "in a list" }] };
    const before = structuredClone(fields);
    const lines = logged((log) => log.info(fields, "a request"));
    expect(JSON.stringify(lines)).to.not.include("s3cret");
    expect(lines[0]).to.deep.include({ apiKey: "[hidden]", storeId: "st_1", none: null });
    expect(lines[0]?.headers).to.deep.equal({
      "x-api-key": "[hidden]",
      authorization: "[hidden]",
      host: "shop.example",
    });
    expect(lines[0]?.list).to.deep.equal([{ token: "in a list" }]);
    expect(fields, "what the caller has stays as it is").to.deep.equal(before);
  });

  it("has an error's type, message, code and stack, and no other property", () => {
    const cause = Object.assign(new Error("duplicate key"), { code: "23505" });
    const failed = new QueryFailedError("INSERT INTO webhooks VALUES ($1)", ["s3cret"], cause);
    const [line] = logged((log) => log.error({ err: failed }, "it failed"));
    expect(line?.err).to.include({ type: "QueryFailedError", message: "duplicate key", code: "23505" });
    expect((line?.err as { stack: string }).stack).to.include("logger.test");
    expect(JSON.stringify(line)).to.not.include("s3cret");
  });

  it("hides the credentials of an address in an error's message", () => {
    const error = new Error("cannot reach redis://user:s3cret@127.0.0.1:6379/0");
    const text = JSON.stringify(logged((log) => log.error({ err: error }, "it failed")));
    expect(text).to.include("redis://[hidden]@127.0.0.1:6379").and.not.include("s3cret");
  });

  it("accepts a value that is no error", () => {
    const [line] = logged((log) => log.error({ err: "s3cret text" }, "it failed"));
    expect(line?.err).to.deep.equal({ message: "string" });
  });
});
