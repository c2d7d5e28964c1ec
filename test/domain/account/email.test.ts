import { expect } from "chai";
import { readEmail } from "../../../domain/account/email";

describe("an e-mail address", () => {
  it("is stored as its mailbox reads it, in any script", () => {
    expect(readEmail(" Olga+Shop@Customer.Example ")).to.equal("olga+shop@customer.example");
    expect(readEmail("用户@例子.公司")).to.equal("用户@例子.公司");
  });

  it("is a name and a host", () => {
    const long = `${"x".repeat(65)}@example.com`;
    const texts = ["me", "@example.com", "me@", "a b@example.com", "me@example..com", "me@-x.com", "a@b@c"];
    for (const text of ["", long, ...texts]) expect(readEmail(text), text).to.equal(null);
  });

  it("has no invisible characters, none that turn the direction, and none that mail programs read otherwise", () => {
    const inside = ["\u200b", "\u200d", "\u202e", "\u2066", "\u00ad", "\ufeff", "\u3164", "\ue000", "\u2028"];
    for (const character of [...inside, ...' ,:;<>"()[]\\\n'])
      for (const text of [`ol${character}ga@shop.example`, `olga@sh${character}op.example`])
        expect(readEmail(text), JSON.stringify(text)).to.equal(null);
  });
});
