import type { RealNode } from "../support/real-nodes/real-node";
import { conformsToLnd } from "../support/conforms-to-lnd";
import { startRealLnd, withRealLnd } from "../support/real-lnd";

for (const database of ["bbolt", "sqlite"] as const)
  withRealLnd(`a real LND, its invoices in ${database}, is what the simulated one claims to be`, (binary) => {
    let chain: RealNode | undefined;
    after(async () => chain?.stop());
    conformsToLnd(async () => {
      const started = await startRealLnd(binary(), { database });
      ({ chain } = started);
      return started.lnd;
    });
  });
