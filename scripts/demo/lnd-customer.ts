import { callLnd, type LndRest } from "../devnet/lightning/call-lnd";
import type { LightningCustomer } from "./customer-door";
import { DemoRefusal } from "./folder";

interface Payment {
  status: string;
  failure_reason: string;
  payment_preimage: string;
}

const TIMEOUT_SECONDS = 20;
/** Generous: it is play money. */
const FEE_LIMIT_SATS = "1000";

/** The customer's own LND, on regtest only, which has a channel to the merchant's. @throws DemoRefusal */
export async function lndCustomer(lnd: LndRest): Promise<LightningCustomer> {
  const { chains } = await callLnd<{ chains: { network: string }[] }>(lnd, "GET", "/v1/getinfo").catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new DemoRefusal(`The customer's LND cannot be used: ${reason}`);
    },
  );
  const network = chains[0]?.network ?? "unknown";
  if (network !== "regtest")
    throw new DemoRefusal(`The customer's LND is on ${network}: the test mode is for regtest alone.`);
  return {
    async pay(bolt11) {
      const payment = await callLnd<Payment>(lnd, "POST", "/v2/router/send", {
        payment_request: bolt11,
        timeout_seconds: TIMEOUT_SECONDS,
        fee_limit_sat: FEE_LIMIT_SATS,
        no_inflight_updates: true,
      });
      if (payment.status !== "SUCCEEDED")
        throw new Error(`The customer's LND could not pay: ${payment.failure_reason}`);
      return payment.payment_preimage;
    },
  };
}
