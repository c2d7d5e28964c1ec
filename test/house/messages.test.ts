import { expect } from "chai";
import { listMessages, messagesOf } from "./texts";

/** `area: what happened`. The area may have two words. */
const FORM = /^[a-z][a-z-]*(?: [a-z]+)?: \S/;
/** Known words of a process' life, the request line, and what a start that fails has to say at length. */
const FREE = [
  "heartbeat failed",
  "leading",
  "listening",
  "ready",
  "request",
  "stopped",
  "stopping",
  "<error.message>",
];

const malformed = (logs: readonly string[]): string[] =>
  logs.filter((message) => !FORM.test(message) && !FREE.includes(message));

describe("the messages", () => {
  it('have the form "area: what happened" in the log', () => {
    const { logs } = listMessages();
    expect(logs.length).to.be.greaterThan(80);
    expect(malformed(logs)).to.deep.equal([]);
    expect(malformed(["chain: poll failed", "a look at the chain failed"])).to.deep.equal([
      "a look at the chain failed",
    ]);
  });

  it("are found in calls of the log, errors, sentences and titles, and not in the API reference", () => {
    const source = `
      ctx.log.warn({ err }, away ? "redis: connection lost" : \`queue: waiting for \${name}\`);
      this.log[level]({}, "zmq: silent");
      console.warn("no log line", "of ours");
      throw new DomainError("unavailable", "no full stop");
      const meta = { description: "A sentence of the reference." };
      const fix = \`Run \${command} again.\`;
      const sql = "SELECT id FROM invoices";
    `;
    expect(messagesOf("api/some.ts", source)).to.deep.equal({
      logs: ["redis: connection lost", "queue: waiting for {…}", "zmq: silent"],
      texts: ["no full stop", "Run {…} again."],
    });
    expect(messagesOf("api/http/present-problem.ts", `const title = "Not found here";`).texts).to.deep.equal([
      "Not found here",
    ]);
  });
});
