import { hash } from "@node-rs/argon2";
import { expect } from "chai";
import { makePasswords } from "../../adapters/passwords";
import type { DomainError } from "../../domain/errors";

describe("passwords", () => {
  const passwords = makePasswords();

  it("are hashed by Argon2id with a salt of their own, at OWASP's cost", async () => {
    const [one, two] = await Promise.all([passwords.hash("a password"), passwords.hash("a password")]);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.to.equal(two);
    expect(await passwords.verify(one, "a password")).to.equal(true);
    expect(await passwords.verify(one, "a passworD")).to.equal(false);
  });

  it("match no one without a hash, whatever is typed", async () => {
    expect(await passwords.verify(null, "nobody's password")).to.equal(false);
  });

  it("detect a hash with weaker parameters than the current ones", async () => {
    const weak = await hash("a password", { memoryCost: 8_192, timeCost: 3 });
    expect(await passwords.isStale(weak)).to.equal(true);
    expect(await passwords.isStale(await passwords.hash("a password"))).to.equal(false);
  });

  it("are checked at most n at a time, also after one that failed", async () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      index === 3 ? passwords.verify("no hash", "x").catch(() => "failed") : passwords.hash("a password"),
    );
    const done = await Promise.all(many);
    expect(done[3]).to.equal("failed");
    expect(done).to.have.length(12);
  });

  it("are refused, instead of queued, when fifty wait", async () => {
    const asked = Array.from({ length: 55 }, () => passwords.hash("a password"));
    const done = await Promise.allSettled(asked);
    const refused = done.flatMap((each) => (each.status === "rejected" ? [each.reason as DomainError] : []));
    expect(refused.map(({ code }) => code)).to.deep.equal(["unavailable", "unavailable", "unavailable"]);
    expect(await passwords.hash("a password")).to.match(/^\$argon2id/);
  });

  it("are not checked for a request that closed while it waited", async () => {
    const gone = new AbortController();
    const busy = [passwords.hash("a password"), passwords.hash("a password")];
    const waiting = Array.from({ length: 40 }, () =>
      passwords.until(() => gone.signal).verify("$argon2id$no hash", "a password"),
    );
    const next = passwords.hash("a password");
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    // Those that waited would have failed by their hash, had they been computed.
    const codes = (await Promise.allSettled(waiting)).map(
      (each) => each.status === "rejected" && (each.reason as DomainError).code,
    );
    expect(new Set(codes)).to.deep.equal(new Set(["unavailable"]));
    expect(await Promise.all([...busy, next])).to.have.length(3);
  });
});
