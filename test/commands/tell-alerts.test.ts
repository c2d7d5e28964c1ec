import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeAlertClient } from "../../adapters/http/alert-client";
import { raiseAlert } from "../../commands/raise-alert";
import { makeTellAlerts } from "../../commands/tell-alerts";
import { Alert } from "../../entities/alert";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";

describe("telling alerts", () => {
  let db: DataSource;
  let ctx: TestContext;
  let server: Server;
  let status = 200;
  let got: Record<string, unknown>[] = [];
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    got = [];
    status = 200;
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        got.push(JSON.parse(body) as Record<string, unknown>);
        response.writeHead(status).end("thanks");
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await db.destroy();
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`;
  const raise = (subject: string) =>
    raiseAlert(db.manager, ctx, {
      kind: "node-away",
      severity: "critical",
      subject,
      message: "The node does not answer.",
    });
  const errors = () => ctx.lines.filter(({ level }) => level === "error");

  it("logs each once where there is nowhere to post to", async () => {
    await raise("a");
    await raise("b");
    const tell = makeTellAlerts(ctx, null);
    expect(await tell()).to.equal(2);
    expect(await tell()).to.equal(0);
    expect(errors().map(({ message }) => message)).to.deep.equal([
      "alert: The node does not answer.",
      "alert: The node does not answer.",
    ]);
    expect(errors()[0]?.fields).to.include({ kind: "node-away", severity: "critical" });
    for (const { toldAt } of await db.manager.find(Alert)) expect(toldAt).to.be.instanceOf(Date);
  });

  it("posts each as JSON", async () => {
    await raise("a");
    await makeTellAlerts(ctx, makeAlertClient(url()))();
    const [alert] = await db.manager.find(Alert);
    expect(got).to.deep.equal([
      {
        alertId: alert?.id,
        kind: "node-away",
        severity: "critical",
        storeId: null,
        invoiceId: null,
        message: "The node does not answer.",
        at: alert?.at.toISOString(),
        resolvedAt: null,
      },
    ]);
  });

  it("tries again what its receiver did not take, and logs it but once", async () => {
    await raise("a");
    const tell = makeTellAlerts(ctx, makeAlertClient(url()));
    status = 500;
    expect(await tell()).to.equal(0);
    expect(await tell()).to.equal(0);
    status = 204;
    expect(await tell()).to.equal(1);
    expect(got).to.have.length(3);
    expect(errors()).to.have.length(1);
  });

  it("logs alerts while their receiver is away", async () => {
    const nowhere = makeAlertClient(url());
    server.close();
    await raise("a");
    expect(await makeTellAlerts(ctx, nowhere)()).to.equal(0);
    expect(errors()).to.have.length(1);
  });
});
