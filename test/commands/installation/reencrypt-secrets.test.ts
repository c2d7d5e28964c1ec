import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeSecretBox } from "../../../adapters/crypto";
import { checkInstallation } from "../../../commands/installation/check-installation";
import { createUser } from "../../../commands/accounts/create-user";
import { reencryptSecrets } from "../../../commands/installation/reencrypt-secrets";
import {
  previousSecretPlace,
  totpSecretPlace,
  webhookSecretPlace,
  xpubPlace,
} from "../../../commands/server/sealed-places";
import { enrolTotp } from "../../../commands/accounts/second-factor";
import { Installation } from "../../../entities/installation";
import { User } from "../../../entities/user";
import { Wallet } from "../../../entities/wallet";
import { Webhook } from "../../../entities/webhook";
import { testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildStore, buildWebhook } from "../../support/factories";

describe("reencrypt-secrets", () => {
  const former = "the former secret, long enough to be one";
  const present = "the present secret, long enough to be one";
  let db: DataSource;
  before(async () => (db = await testDatabase()));
  after(() => db.destroy());

  it("encrypts every secret again, after which the former APP_SECRET is not needed any more", async () => {
    const before = makeSecretBox({ appSecret: former });
    const beforeCtx = await testContext({ db, secrets: before });
    await checkInstallation(db, { network: "regtest", ...before });
    const store = await buildStore(beforeCtx);
    const { webhookId, secret } = await buildWebhook(beforeCtx, store);
    const { userId } = await createUser(beforeCtx, { email: "a@example.com" });
    const totp = await enrolTotp(beforeCtx, userId);
    const previousSecretEncrypted = before.encrypt("whsec_previous", previousSecretPlace(webhookId));
    await db.manager.update(Webhook, webhookId, { previousSecretEncrypted });

    const during = await testContext({
      db,
      secrets: makeSecretBox({ appSecret: present, appSecretOld: former }),
    });
    // The webhook's two, the authenticator's, the check value; the wallet's key, its hash and its link; the user and the
    // user's link.
    expect(await reencryptSecrets(during)).to.equal(9);
    expect(await reencryptSecrets(during)).to.equal(0);

    const after = makeSecretBox({ appSecret: present });
    await checkInstallation(db, { network: "regtest", ...after });
    const webhook = await db.manager.findOneByOrFail(Webhook, { id: webhookId });
    expect(after.decrypt(webhook.secretEncrypted, webhookSecretPlace(webhookId))).to.equal(secret);
    expect(after.decrypt(webhook.previousSecretEncrypted as Buffer, previousSecretPlace(webhookId))).to.equal(
      "whsec_previous",
    );
    const { totpSecretEncrypted } = await db.manager.findOneByOrFail(User, { id: userId });
    expect(after.decrypt(totpSecretEncrypted as Buffer, totpSecretPlace(userId))).to.equal(totp.secret);
    const { secretCheck } = await db.manager.findOneByOrFail(Installation, { singleton: true });
    expect(before.checkValueMatches(secretCheck)).to.equal(false);
  });

  it("includes secrets that a process with the former APP_SECRET wrote meanwhile", async () => {
    const late = await testContext({ db, secrets: makeSecretBox({ appSecret: former }) });
    const { webhookId, secret } = await buildWebhook(late, await buildStore(late));
    const during = await testContext({
      db,
      secrets: makeSecretBox({ appSecret: present, appSecretOld: former }),
    });
    expect(await reencryptSecrets(during)).to.equal(4);
    const { secretEncrypted } = await db.manager.findOneByOrFail(Webhook, { id: webhookId });
    expect(
      makeSecretBox({ appSecret: present }).decrypt(secretEncrypted, webhookSecretPlace(webhookId)),
    ).to.equal(secret);
  });

  it("continues after an interruption: the check value is written last", async () => {
    const secrets = makeSecretBox({
      appSecret: "yet another secret, long enough to be one",
      appSecretOld: present,
    });
    const ctx = await testContext({ db, secrets });
    const failing = {
      ...ctx,
      secrets: {
        ...secrets,
        encrypt: () => {
          throw new Error("cut off");
        },
      },
    };
    expect(await reencryptSecrets(failing).catch((error: unknown) => String(error))).to.contain("cut off");
    // Hashes and links of two wallets were written before.
    expect(await reencryptSecrets(ctx)).to.equal(7);
  });

  it("logs the row of a value that cannot be read, with the table's present name, and renews all others", async () => {
    const appSecret = "one more secret, long enough to be one";
    const secrets = makeSecretBox({ appSecret, appSecretOld: "yet another secret, long enough to be one" });
    const ctx = await testContext({ db, secrets });
    const [one, other] = await db.manager.find(Wallet);
    if (one === undefined || other === undefined) throw new Error("there are no two wallets");
    await db.manager.update(Wallet, one.id, { xpubEncrypted: other.xpubEncrypted });

    expect(await reencryptSecrets(ctx)).to.be.greaterThan(0);
    const unread = ctx.lines.filter(({ message }) => message === "secrets: value cannot be read");
    expect(unread.map(({ fields: { table, column, row } }) => ({ table, column, row }))).to.deep.equal([
      { table: "wallets", column: "xpub_encrypted", row: one.id },
    ]);
    const { xpubEncrypted } = await db.manager.findOneByOrFail(Wallet, { id: other.id });
    expect(makeSecretBox({ appSecret }).decrypt(xpubEncrypted, xpubPlace(other.id))).to.match(/^tpub/);
  });
});
