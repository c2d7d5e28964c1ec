import { builtBtcpayModal, builtCheckout, builtModal } from "./built-checkout";
import { builtDashboard } from "./built-dashboard";
import { buildServiceBeside } from "./built";

/** Once for all processes of a run: side by side they would build the same, and remove it from under each other. */
export async function mochaGlobalSetup(): Promise<void> {
  await Promise.all([
    buildServiceBeside(),
    builtDashboard(),
    builtCheckout(),
    builtModal(),
    builtBtcpayModal(),
  ]);
}
