import { Text } from "@mantine/core";
import type { ServerRail } from "../../api/admin";
import { Facts, type Fact } from "../../kit/facts";
import { groupDigits } from "../../kit/format-money";
import { Sats } from "../../kit/money";
import { Section } from "../../kit/section";

const NAMES: Record<ServerRail["type"], string> = { "BTC-CHAIN": "Bitcoin", "BTC-LN": "Lightning" };

/** What the nodes said last. */
export function ServerNodes({ rails }: { rails: readonly ServerRail[] }) {
  return (
    <Section title="Nodes">
      {rails.length === 0 ? (
        <Text size="sm" c="dimmed">
          No node is connected: payments are not noticed. Set BITCOIND_RPC_URL or LND_GRPC_URL and restart.
        </Text>
      ) : (
        rails.map((rail) => (
          <div key={rail.type}>
            <Text size="sm" fw={600}>
              {NAMES[rail.type]}
            </Text>
            <Facts facts={factsOf(rail)} />
          </div>
        ))
      )}
    </Section>
  );
}

function factsOf(rail: ServerRail): Fact[] {
  const { synchronized, nodeHeight, height, lagBlocks, lagSeconds, problem, receivableSats } = rail;
  const number = (count: number | null, unit = "") =>
    count === null ? null : <span className="numeral">{groupDigits(count) + unit}</span>;
  return [
    ["Synchronised", synchronized ? "yes" : "no"],
    ["Node's block", number(nodeHeight)],
    ["Looked through", number(height)],
    ["Blocks to go", lagBlocks === 0 ? null : number(lagBlocks)],
    ["Last look", lagSeconds === null ? null : number(lagSeconds, " s ago")],
    ["Can receive", receivableSats === null ? null : <Sats value={receivableSats} />],
    ["Problem", problem],
  ];
}
