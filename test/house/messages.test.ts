import { expect } from "chai";
import { listMessages } from "./texts";

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
});
