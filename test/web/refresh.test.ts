import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect } from "chai";
import { refresh } from "../../web/dashboard/api/refresh";

const KEY = ["stores", "s1", "webhooks", "w1", "deliveries", {}];

describe("refreshing the dashboard", () => {
  let client: QueryClient;
  /** The requests in order; each is answered by its test. */
  let requests: ((answer: string) => void)[];
  const queryFn = (): Promise<string> => new Promise((answer) => requests.push(answer));
  const shown = (): unknown => client.getQueryData(KEY);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    client = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000, retry: false } } });
    requests = [];
  });
  afterEach(() => client.clear());

  it("requests again when the change came while the first answer was on its way", async () => {
    const stop = new QueryObserver(client, { queryKey: KEY, queryFn }).subscribe(() => undefined);
    const refreshed = refresh(client, "/stores/s1/webhooks/w1");
    requests[0]?.("pending");
    await turn();
    expect(requests).to.have.length(2);
    requests[1]?.("delivered");
    await refreshed;
    expect(shown()).to.equal("delivered");
    stop();
  });

  it("does so too for an answer that a page was loading before it is shown", async () => {
    const loading = client.ensureQueryData({ queryKey: KEY, queryFn });
    const refreshed = refresh(client, "/stores/s1");
    requests[0]?.("pending");
    expect(await loading).to.equal("pending");
    await refreshed;
    const stop = new QueryObserver(client, { queryKey: KEY, queryFn }).subscribe(() => undefined);
    await turn();
    expect(requests, "stale when it is shown").to.have.length(2);
    stop();
  });

  it("requests once what has an answer, and nothing that is not below the path", async () => {
    client.setQueryData(KEY, "pending");
    const stop = new QueryObserver(client, { queryKey: KEY, queryFn }).subscribe(() => undefined);
    void refresh(client, "/stores/s1/webhooks/w2");
    expect(requests).to.have.length(0);
    const refreshed = refresh(client, "/stores/s1/webhooks/w1");
    expect(requests).to.have.length(1);
    requests[0]?.("delivered");
    await refreshed;
    expect([shown(), requests.length]).to.deep.equal(["delivered", 1]);
    stop();
  });
});
