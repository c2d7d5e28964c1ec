import { expect } from "chai";
import type { Page } from "playwright-core";
import { LightningNode } from "../../entities/lightning-node";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { inspect, startDashboard, type Dashboard } from "../support/dashboard";

describe("connecting an LND in a browser", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  let page: Page;
  let node: SimulatedLnd;
  let storeId: string;

  before(async function () {
    const started = await startDashboard();
    if (started === null) return this.skip();
    dashboard = started;
    node = await SimulatedLnd.start();
    page = await dashboard.newUser("lena@shop.example", { admin: true });
    const { base } = dashboard;
    const created = await page.request.post(`${base}/api/dashboard/stores`, {
      data: { name: "Tea shop" },
      headers: { origin: base },
    });
    ({ storeId } = (await created.json()) as { storeId: string });
  });
  after(async () => {
    await dashboard?.stop();
    await node?.stop();
  });
  afterEach(() => expect(dashboard.complaints.splice(0)).to.deep.equal([]));

  const rows = () => dashboard.ctx.db.manager.findBy(LightningNode, { storeId });
  const uri = (macaroon = node.grpc.quittanceMacaroon): string => {
    const der = Buffer.from(node.grpc.tlsCert.replace(/-----[^-]+-----|\s/g, ""), "base64").toString(
      "base64url",
    );
    return `lndconnect://${node.grpc.url}?cert=${der}&macaroon=${macaroon.toString("base64url")}`;
  };
  const steps = () => page.getByRole("list", { name: "Check of the node" });
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  async function openForm(): Promise<void> {
    await page.goto(`${dashboard.base}/stores/${storeId}/settings/payment-methods`);
    await page.getByRole("heading", { name: "Lightning", level: 2 }).waitFor();
    await press("Connect your LND");
  }
  async function connectedNode(): Promise<void> {
    await page.getByRole("alert").filter({ hasText: "Your node is connected." }).waitFor();
    await page.getByText(node.grpc.url, { exact: true }).waitFor();
  }
  async function removeNode(): Promise<void> {
    await page
      .getByRole("region")
      .or(page.locator("section"))
      .filter({ hasText: "Node key" })
      .getByRole("button", { name: "Remove" })
      .click();
    await press("Remove node");
    await page.getByRole("alert").filter({ hasText: "The node is removed." }).waitFor();
  }

  it("refuses what is not a URI, at its field", async () => {
    await openForm();
    await page.getByRole("textbox", { name: "Connection URI" }).fill("https://node.example.com");
    await press("Check and connect");
    await page.getByText("This is neither an lndconnect URI").waitFor();
    await inspect(page, "lightning-refused");
  });

  it("shows the step that fails, why, and what to do; nothing is stored", async () => {
    const failing: [lndconnect: string, message: string][] = [
      [uri(node.grpc.adminMacaroon), "lncli bakemacaroon"],
      [uri().replace("127.0.0.1", "nowhere.invalid"), "does not resolve"],
      [uri().replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1"), "nothing answers there"],
      [uri().replace(/cert=[^&]+&/, ""), "No authority that this server trusts"],
    ];
    await openForm();
    for (const [lndconnect, message] of failing) {
      await page.getByRole("textbox", { name: "Connection URI" }).fill(lndconnect);
      await press("Check and connect");
      await steps().getByText(message, { exact: false }).first().waitFor();
      await page.getByText("Nothing was stored.").waitFor();
    }
    await inspect(page, "lightning-failed-step");
    await node.lock();
    await page.getByRole("textbox", { name: "Connection URI" }).fill(uri());
    await press("Check and connect");
    await steps().getByText("lncli unlock").waitFor();
    await node.unlock();
    expect(await rows()).to.deep.equal([]);
  });

  it("connects by URI while each step is watched, shows the node, and removes it", async () => {
    node.faults.lateMs["GetInfo"] = 1_500;
    node.limitReceivable(0n);
    await openForm();
    await page.getByRole("textbox", { name: "Connection URI" }).fill(uri());
    await press("Check and connect");
    await steps().getByText("LND answers, and its wallet is unlocked.").waitFor();
    await inspect(page, "lightning-steps");
    await connectedNode();
    node.faults.lateMs["GetInfo"] = 0;
    await page.getByText("connecting", { exact: true }).waitFor();
    // What the check warned of is still to be read.
    await steps().getByText("It can receive: warning").waitFor();
    await page.mouse.move(0, 0);
    await inspect(page, "lightning-connected");
    expect((await rows())[0]?.nodeKey).to.equal(node.nodeKey);
    await press("Check again, and take a renewed certificate");
    await page.getByRole("alert").filter({ hasText: "The node is connected." }).waitFor();
    await removeNode();
    expect((await rows()).map(({ state }) => state)).to.deep.equal(["retired"]);
  });

  it("connects by address and files", async () => {
    await openForm();
    await page.getByLabel("How you give its access").selectOption("files");
    await page.getByLabel("Address", { exact: true }).fill(node.grpc.url);
    const files = page.locator("input[type=file]");
    const { tlsCert, quittanceMacaroon } = node.grpc;
    const form = page.getByRole("form", { name: "Connect your LND" });
    const upload = async (button: string, name: string, buffer: Buffer): Promise<void> => {
      const chooser = page.waitForEvent("filechooser");
      await form.getByRole("button", { name: button }).click();
      await (await chooser).setFiles({ name, mimeType: "application/octet-stream", buffer });
    };
    expect(await files.count()).to.be.above(0);
    await upload("Read tls.cert", "tls.cert", Buffer.from(tlsCert));
    await upload("Read the macaroon's file", "quittance.macaroon", quittanceMacaroon);
    await inspect(page, "lightning-files");
    await press("Check and connect");
    await connectedNode();
  });

  it("says why a node is refused though every step passes: another store uses it", async () => {
    const { base } = dashboard;
    const other = await dashboard.newUser("olga@shop.example");
    const created = await other.request.post(`${base}/api/dashboard/stores`, {
      data: { name: "Coffee shop" },
      headers: { origin: base },
    });
    const { storeId: second } = (await created.json()) as { storeId: string };
    await other.goto(`${base}/stores/${second}/settings/payment-methods`);
    await other.getByRole("button", { name: "Connect your LND" }).click();
    await other.getByRole("textbox", { name: "Connection URI" }).fill(uri());
    await other.getByRole("button", { name: "Check and connect" }).click();
    const refused = other.getByRole("alert").filter({ hasText: "Nothing was stored." });
    await refused.getByText("Another store uses this node.").waitFor();
    expect(await other.getByText("failed step").count()).to.equal(0);
    await inspect(other, "lightning-in-use");
    await other.context().close();
  });

  it("asks before another node behind the address is used", async () => {
    await dashboard.ctx.db.manager.update(LightningNode, { storeId }, { otherKey: "02".repeat(33) });
    // Without a reload: the page asks again while the node is being connected.
    await page.getByText("Another node answers at this address").waitFor();
    await inspect(page, "lightning-other-node");
    await press("Use the node that answers now");
    await press("Use it");
    await page.getByRole("alert").filter({ hasText: "The node is connected." }).waitFor();
  });
});
