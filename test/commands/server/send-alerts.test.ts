import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { readFileSync } from "node:fs";
import https from "node:https";
import path from "node:path";
import { inspect } from "node:util";
import { SMTPServer } from "smtp-server";
import { IsNull, type DataSource } from "typeorm";
import { makeAlertMail } from "../../../adapters/alert-mail";
import { makeAlertClient } from "../../../adapters/http/alert-client";
import { raiseAlert } from "../../../commands/server/raise-alert";
import { makeSendAlerts } from "../../../commands/server/send-alerts";
import type { AlertMessage } from "../../../commands/ports";
import { Alert, type AlertChannelName } from "../../../entities/alert";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { inTransaction } from "../../../commands/transaction";

describe("sending alerts", () => {
  let db: DataSource;
  let ctx: TestContext;
  let server: Server;
  let status = 200;
  let location: string | undefined;
  let got: Record<string, unknown>[] = [];
  let authorization: string | undefined;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    got = [];
    status = 200;
    location = undefined;
    server = createServer((request, response) => {
      authorization = request.headers.authorization;
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        got.push(JSON.parse(body) as Record<string, unknown>);
        response.writeHead(status, location === undefined ? {} : { location }).end("thanks");
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
    inTransaction(ctx, (tx) =>
      raiseAlert(tx, {
        kind: "node-away",
        severity: "critical",
        subject,
        message: "The node does not answer.",
      }),
    );
  const errors = () => ctx.lines.filter(({ level }) => level === "error");

  it("logs each once when there is no URL to post to", async () => {
    await raise("a");
    await raise("b");
    const tell = makeSendAlerts(ctx, []);
    expect(await tell()).to.equal(2);
    expect(await tell()).to.equal(0);
    expect(errors().map(({ message }) => message)).to.deep.equal([
      "alert: The node does not answer.",
      "alert: The node does not answer.",
    ]);
    expect(errors()[0]?.fields).to.include({ kind: "node-away", severity: "critical" });
    for (const { sentAt } of await db.manager.find(Alert)) expect(sentAt).to.be.instanceOf(Date);
  });

  it("posts each as JSON", async () => {
    await raise("a");
    await makeSendAlerts(ctx, [makeAlertClient(url())])();
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

  it("retries what its receiver refused, and logs it once", async () => {
    await raise("a");
    const tell = makeSendAlerts(ctx, [makeAlertClient(url())]);
    status = 500;
    expect(await tell()).to.equal(0);
    expect(await tell()).to.equal(0);
    status = 204;
    expect(await tell()).to.equal(1);
    expect(got).to.have.length(3);
    expect(errors()).to.have.length(1);
  });

  /** A channel that accepts alerts unless it is away. */
  const channel = (name: AlertChannelName, atOnce: number) => {
    const it = {
      name,
      atOnce,
      away: false,
      got: [] as AlertMessage[],
      send(alerts: readonly AlertMessage[]): Promise<void> {
        if (it.away) return Promise.reject(new Error("away"));
        it.got.push(...alerts);
        return Promise.resolve();
      },
    };
    return it;
  };
  /** Warnings, more than a channel is given in one call. */
  const raiseMany = (many: number) =>
    db.query(
      `INSERT INTO alerts (id, kind, severity, subject, message)
       SELECT 'alr_' || n, 'double-spend', 'warning', n, 'Contested.' FROM generate_series(1, $1) AS n`,
      [many],
    );

  it("delays only the alerts of the channel that is away, however many they are", async () => {
    const [good, bad] = [channel("ALERT_URL", 1_000), channel("SMTP_URL", 100)];
    bad.away = true;
    const tell = makeSendAlerts(ctx, [good, bad]);
    await raiseMany(2_000);
    await tell();
    await tell();
    expect(good.got).to.have.length(2_000);
    await raise("the one that matters");
    expect(await tell()).to.equal(0);
    expect(good.got).to.have.length(2_001);
    expect(errors()).to.have.length(2_001);

    bad.away = false;
    expect(await tell()).to.equal(1_000);
    expect(bad.got[0]).to.include({ kind: "node-away" });
    expect(await tell()).to.equal(1_000);
    expect(await tell()).to.equal(1);
    expect(new Set(bad.got.map(({ alertId }) => alertId)).size).to.equal(2_001);
    expect(bad.got).to.have.length(2_001);
    expect(good.got).to.have.length(2_001);
  });

  it("sends the most severe first, then the oldest", async () => {
    await raiseMany(3);
    await db.query("UPDATE alerts SET severity = 'info' WHERE id = 'alr_1'");
    await db.query("UPDATE alerts SET at = at - interval '1 hour' WHERE id = 'alr_3'");
    await raise("a");
    const post = channel("ALERT_URL", 1);
    await makeSendAlerts(ctx, [post])();
    const expected = ["critical", "alr_3", "alr_2", "alr_1"];
    expect(
      post.got.map(({ severity, alertId }) => (severity === "critical" ? severity : alertId)),
    ).to.deep.equal(expected);
  });

  it("sends nothing again through a channel that accepted it after a restart", async () => {
    const [good, bad] = [channel("ALERT_URL", 1), channel("SMTP_URL", 100)];
    bad.away = true;
    await raise("a");
    expect(await makeSendAlerts(ctx, [good, bad])()).to.equal(0);
    expect(await makeSendAlerts(ctx, [good, bad])()).to.equal(0);
    expect(good.got).to.have.length(1);
    expect(errors()).to.have.length(1);
    bad.away = false;
    expect(await makeSendAlerts(ctx, [good, bad])()).to.equal(1);
    expect(bad.got).to.have.length(1);
  });

  it("waits no longer for a channel that was removed", async () => {
    const bad = channel("SMTP_URL", 100);
    bad.away = true;
    await raise("a");
    await makeSendAlerts(ctx, [bad])();
    expect(await db.manager.countBy(Alert, { sentAt: IsNull() })).to.equal(1);
    await makeSendAlerts(ctx, [])();
    expect(await db.manager.countBy(Alert, { sentAt: IsNull() })).to.equal(0);
    expect(errors()).to.have.length(1);
  });

  it("does not let one channel wait for what another takes slowly", async () => {
    const slow = channel("ALERT_URL", 1);
    const accept = slow.send.bind(slow);
    slow.send = async (alerts) => {
      ctx.clock.advance(4_000);
      await accept(alerts);
    };
    ctx.clock.freeze(new Date());
    await raiseMany(10);
    await makeSendAlerts(ctx, [slow])();
    expect(errors()).to.have.length(10);
    expect(slow.got).to.have.length(3);
    await makeSendAlerts(ctx, [slow])();
    expect(slow.got).to.have.length(6);
  });

  it("sends an alert again whose message was changed while it was sent", async () => {
    await raise("a");
    const post = channel("ALERT_URL", 1);
    const accept = post.send.bind(post);
    post.send = async (alerts) => {
      await accept(alerts);
      if (post.got.length === 1) await db.manager.update(Alert, { subject: "a" }, { message: "Worse." });
    };
    const tell = makeSendAlerts(ctx, [post]);
    await tell();
    await tell();
    expect(post.got.map(({ message }) => message)).to.deep.equal(["The node does not answer.", "Worse."]);
  });

  it("sends the credentials of ALERT_URL as basic authentication", async () => {
    await raise("a");
    const withCredentials = url().replace("//", "//ops:p%40ss@");
    expect(await makeSendAlerts(ctx, [makeAlertClient(withCredentials)])()).to.equal(1);
    expect(authorization).to.equal(`Basic ${Buffer.from("ops:p@ss").toString("base64")}`);
  });

  it("sends nothing when the certificate is not trusted, and logs neither the address nor what it carries", async () => {
    const file = (name: string) => readFileSync(path.join(__dirname, "../../support/tls", name));
    const own = { key: file("self-signed.key"), cert: file("self-signed.crt") };
    let asked = 0;
    const receiver = https.createServer(own, () => (asked += 1)).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const { port } = receiver.address() as AddressInfo;
    await raise("a");
    const client = makeAlertClient(`https://ops:s3cret@127.0.0.1:${port}/token-t0p`);
    expect(await makeSendAlerts(ctx, [client])()).to.equal(0);
    const [line] = ctx.lines.filter(({ level }) => level === "warn");
    expect(inspect(line, { depth: 9 })).not.to.match(/s3cret|t0p|127\.0\.0\.1/);
    expect(line?.fields["err"]).to.include({ message: "the alert receiver did not answer: tls-invalid" });
    expect(asked).to.equal(0);
    receiver.closeAllConnections();
    receiver.close();
  });

  describe("by mail", () => {
    let smtp: SMTPServer;
    let mails: { from: string; to: string[]; text: string }[] = [];
    beforeEach(async () => {
      mails = [];
      smtp = new SMTPServer({
        authMethods: ["PLAIN"],
        disabledCommands: ["STARTTLS"],
        onAuth: ({ username, password }, _session, done) =>
          username === "ops" && password === "secret"
            ? done(null, { user: username })
            : done(new Error("no")),
        onData(stream, { envelope }, done) {
          let text = "";
          stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
          stream.on("end", () => {
            const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
            mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
            done();
          });
        },
      });
      await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
    });
    afterEach((done) => smtp.close(done));
    const mail = (password = "secret") => {
      const { port } = smtp.server.address() as AddressInfo;
      return makeAlertMail(
        `smtp://ops:${password}@127.0.0.1:${port}?from=pay@example.com&to=a@example.com,b@example.com`,
        "https://pay.example.com",
      );
    };

    it("sends all new alerts in one mail", async () => {
      await raise("a");
      await raise("b");
      expect(await makeSendAlerts(ctx, [mail()])()).to.equal(2);
      expect(mails).to.have.length(1);
      expect(mails[0]).to.include({ from: "pay@example.com" });
      expect(mails[0]?.to).to.deep.equal(["a@example.com", "b@example.com"]);
      expect(mails[0]?.text).to.contain("Subject: [Quittance] critical: node-away (2 alerts)");
      expect(mails[0]?.text.split("The node does not answer.")).to.have.length(3);
    });

    it("leads to the page that shows each alert", async () => {
      const about = {
        kind: "node-away",
        severity: "critical",
        message: "…",
        at: new Date(0),
        resolvedAt: null,
      };
      const places = [
        { storeId: null, invoiceId: null },
        { storeId: "S", invoiceId: null },
        { storeId: "S", invoiceId: "inv_1" },
      ];
      await mail().send(places.map((place, at) => ({ ...about, ...place, alertId: `alr_${at}` })));
      const lines = mails[0]?.text.split(/\r?\n/).filter((line) => line.startsWith("https://"));
      expect(lines).to.deep.equal([
        "https://pay.example.com/admin/health",
        "https://pay.example.com/stores/S/alerts",
        "https://pay.example.com/stores/S/invoices/inv_1",
      ]);
    });

    it("is retried when the mail server refuses, and no password is logged", async () => {
      await raise("a");
      expect(await makeSendAlerts(ctx, [mail("mistyped-password")])()).to.equal(0);
      expect(JSON.stringify(ctx.lines)).to.not.contain("mistyped-password");
      expect(await makeSendAlerts(ctx, [mail()])()).to.equal(1);
      expect(mails).to.have.length(1);
    });
  });
});
