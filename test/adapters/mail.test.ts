import { expect } from "chai";
import { openMail } from "../../adapters/mail";
import { startMailbox } from "../support/mailbox";

const MAIL = { to: "you@example.com", subject: "A link", text: "https://pay.example.com/setup#…" };

describe("mail", () => {
  it("is not sent in clear to another host, unless the operator says so", async () => {
    const mailbox = await startMailbox();
    // Another name of this machine, which is not known to be this one.
    const elsewhere = mailbox.url.replace("127.0.0.1", "0.0.0.0");
    const failure: unknown = await openMail(elsewhere)
      .send(MAIL)
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(mailbox.mails).to.deep.equal([]);
    await openMail(`${elsewhere}&requireTLS=false`).send(MAIL);
    await openMail(mailbox.url).send(MAIL);
    expect(mailbox.mails).to.have.length(2);
    await mailbox.stop();
  });
});
