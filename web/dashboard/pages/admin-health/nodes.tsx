import { Text } from "@mantine/core";
import type { ServerPaymentMethod } from "../../api/admin";
import { Facts, type Fact } from "../../kit/facts";
import { groupDigits } from "../../kit/format/format-money";
import { Sats } from "../../kit/format/money";
import { Section } from "../../kit/section";

const NAMES: Record<ServerPaymentMethod["type"], string> = { "BTC-CHAIN": "Bitcoin", "BTC-LN": "Lightning" };

export function ServerNodes({ rails }: { rails: readonly ServerPaymentMethod[] }) {
  return (
    <Section title="Nodes">
      {rails.length === 0 ? (
        <Text size="sm" c="dimmed">
          No node is connected, so payments are not detected. Set BITCOIND_RPC_URL or LND_GRPC_URL and
          restart.
        </Text>
      ) : (
        rails.map((method) => (
          <div key={method.type}>
            <Text size="sm" fw={600}>
              {NAMES[method.type]}
            </Text>
            <Facts facts={factsOf(method)} />
          </div>
        ))
      )}
    </Section>
  );
}

function factsOf(method: ServerPaymentMethod): Fact[] {
  const { synchronized, nodeHeight, height, lagBlocks, lagSeconds, problem, receivableSats } = method;
  const number = (count: number | null, unit = "") =>
    count === null ? null : <span className="numeral">{groupDigits(count) + unit}</span>;
  return [
    ["Synced", synchronized ? "yes" : "no"],
    ["Node's block", number(nodeHeight)],
    ["Scanned to block", number(height)],
    ["Blocks behind", lagBlocks === 0 ? null : number(lagBlocks)],
    ["Last check", lagSeconds === null ? null : number(lagSeconds, " s ago")],
    ["Can receive", receivableSats === null ? null : <Sats value={receivableSats} />],
    ["Problem", problem],
  ];
}
