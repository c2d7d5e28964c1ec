import { builtBtcpayModal, builtCheckout, builtModal } from "./built-checkout";
import { builtDashboard } from "./built-dashboard";
import { buildServiceBeside } from "./built";

/** Once for all processes of a run: side by side they would build the same, and remove it from under each other. */
export async function mochaGlobalSetup(): Promise<void> {
  const { NODE_ENV } = process.env;
  await Promise.all([
    buildServiceBeside(),
    builtDashboard(),
    builtCheckout(),
    builtModal(),
    builtBtcpayModal(),
  ]);
  // A build sets it: the tests would see it in the runs that build alone.
  if (NODE_ENV === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = NODE_ENV;
}
