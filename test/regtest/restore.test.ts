import { startRealLnd, withRealLnd } from "../support/real-lnd";
import { restoreStories } from "../stories/restore-stories";

withRealLnd(
  "a restore from a backup after the machine was lost, with a real bitcoind and real LNDs",
  (binary) => {
    restoreStories(() => startRealLnd(binary()));
  },
);
