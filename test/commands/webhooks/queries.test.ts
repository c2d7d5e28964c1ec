import { expect } from "chai";
import type { DataSource } from "typeorm";
import {
  beginAttempts,
  endUnsent,
  giveBackAttempts,
  loadDeliveries,
  recordAllDelivered,
  recordAnswer,
} from "../../../commands/webhooks/attempt-queries";
import {
  findFeedsWithNews,
  findPlace,
  findUnfed,
  placeUnfed,
  readFeedPage,
} from "../../../commands/webhooks/feed-queries";
import {
  approveAgain,
  endRetries,
  findDue,
  requestForgottenRetries,
  requestRetry,
} from "../../../commands/webhooks/queries";
import { testDatabase } from "../../support/database";
import { LARGE, plansOf } from "../../support/plans";

const CLAIM = "0".repeat(32);
const BODY = Buffer.from("ok");

describe("SQL statements of webhooks", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(1);
  });
  after(() => db.destroy());

  const works: [string, () => Promise<unknown>][] = [
    ["a page of the feed", () => readFeedPage(db.manager, "str", "5", 50)],
    ["what has no place in the feed", () => findUnfed(db.manager, "str")],
    ["giving places in the feed", () => placeUnfed(db.manager, "str")],
    ["whether the feed has a place", () => findPlace(db.manager, "str", "5")],
    ["who has something to read", () => findFeedsWithNews(db.manager, ["str"], ["5"])],
    ["what may go now", () => findDue(db.manager, ["wh"])],
    ["requesting a retry", () => requestRetry(db.manager, new Date(), "whd")],
    ["requesting retries that the queue lost", () => requestForgottenRetries(db.manager, new Date())],
    ["the end of a webhook's retries", () => endRetries(db.manager, ["wh"])],
    ["sending one again", () => approveAgain(db.manager, "whd")],
    ["the look at deliveries", () => loadDeliveries(db.manager, ["whd"])],
    [
      "the beginning of attempts",
      () =>
        beginAttempts(
          db.manager,
          ["whd"],
          ["wh"],
          [1],
          [0],
          ["automatic"],
          [new Date()],
          ["{}"],
          ["pending"],
          [1],
          [CLAIM],
        ),
    ],
    ["giving attempts back", () => giveBackAttempts(db.manager, ["whd"], [1], [CLAIM])],
    ["the end of what is not sent", () => endUnsent(db.manager, "whd", "pending", 1, "failed", "pruned", 1)],
    [
      "an answer",
      () =>
        recordAnswer(
          db.manager,
          "whd",
          1,
          "failed",
          500,
          "http-500",
          10,
          BODY,
          "192.0.2.1",
          "wh",
          new Date(),
        ),
    ],
    [
      "answers that were good",
      () => recordAllDelivered(db.manager, ["whd"], [1], [200], [10], [BODY], ["192.0.2.1"]),
    ],
  ];
  for (const [what, work] of works)
    it(`scan no large table: ${what}`, async () => {
      const plans = await plansOf(db, work);
      expect(plans).to.have.lengthOf(1);
      for (const plan of plans) expect(plan).to.not.match(LARGE);
    });
});
