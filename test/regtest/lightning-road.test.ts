import { lightningStories } from "../stories/lightning-stories";
import { startRealLnd, withRealLnd } from "../support/real-lnd";

withRealLnd("the whole road by Lightning, with a real bitcoind and real LNDs", (binary) => {
  lightningStories(() => startRealLnd(binary(), { args: ["--gc-canceled-invoices-on-the-fly"] }));
});
