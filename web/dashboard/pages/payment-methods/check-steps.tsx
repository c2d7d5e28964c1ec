import { Box, Group, List, Loader, Text } from "@mantine/core";
import type { CheckStep } from "../../api/settings";
import { Icon, type IconName } from "../../kit/icon";

/** In their order. */
const STEPS: Readonly<Record<CheckStep["step"], string>> = {
  macaroon: "The macaroon cannot spend",
  name: "The address may be used",
  reachable: "The node is reachable",
  certificate: "Its certificate is the right one",
  unlocked: "LND answers and is unlocked",
  rights: "LND accepts the macaroon",
  network: "The network is the right one",
  synced: "It is synced with the chain",
  receivable: "It can receive",
  bolt11: "It makes and cancels a BOLT11 of one sat",
};
const ORDER = Object.keys(STEPS) as CheckStep["step"][];

const LOOKS: Readonly<Record<CheckStep["outcome"], { icon: IconName; color: string; word: string }>> = {
  passed: { icon: "circle-check", color: "green", word: "passed" },
  warning: { icon: "triangle-alert", color: "yellow", word: "warning" },
  failed: { icon: "circle-x", color: "red", word: "failed" },
};

/** Somebody watches it work: those that are to come are shown, too. */
export function CheckSteps({ steps, running }: { steps: readonly CheckStep[]; running: boolean }) {
  return (
    <Box aria-live="polite">
      <List listStyleType="none" spacing="xs" aria-label="Check of the node">
        {ORDER.map((name, at) => (
          <List.Item key={name}>
            <Step name={name} step={steps[at]} now={running && at === steps.length} />
          </List.Item>
        ))}
      </List>
    </Box>
  );
}

function Step({ name, step, now }: { name: CheckStep["step"]; step: CheckStep | undefined; now: boolean }) {
  const look = step && LOOKS[step.outcome];
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Box w={20} c={look?.color ?? "dimmed"} mt={2}>
        {look !== undefined && <Icon name={look.icon} />}
        {look === undefined && (now ? <Loader size={16} /> : <Icon name="clock" />)}
      </Box>
      <div>
        <Text
          size="sm"
          fw={now || step?.outcome === "failed" ? 600 : 400}
          {...(look || now ? {} : { c: "dimmed" })}
        >
          {STEPS[name]}
          {look !== undefined && look.word !== "passed" && `: ${look.word}`}
        </Text>
        {step !== undefined && (
          <Text
            size="sm"
            {...(step.outcome === "failed" ? {} : { c: "dimmed" })}
            style={{ overflowWrap: "anywhere" }}
          >
            {step.message}
          </Text>
        )}
      </div>
    </Group>
  );
}
