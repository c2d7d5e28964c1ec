import { Radio, Stack, Text } from "@mantine/core";
import { useState, type ReactNode } from "react";
import type { Member } from "../../api/settings";
import { confirm, type Question } from "./confirm";

export type KeptOrDeleted = "keep" | "delete";
type Made = Member["made"];

const counted = (count: number, one: string): string[] =>
  count === 0 ? [] : [`${count} ${one}${count === 1 ? "" : "s"}`];

/** "2 API keys and 1 webhook"; null: nothing. */
function nameOf({ apiKeys, webhooks }: Made): string | null {
  const parts = [...counted(apiKeys, "API key"), ...counted(webhooks, "webhook")];
  return parts.length === 0 ? null : parts.join(" and ");
}

/** Before a user's rights end: their keys and webhooks are deleted by default. Null: cancelled. */
export async function confirmEnd(
  question: Question & { body: string },
  made: Made,
): Promise<{ keysAndWebhooks?: KeptOrDeleted } | null> {
  const what = nameOf(made);
  if (what === null) return (await confirm(question)) ? {} : null;
  const keysAndWebhooks = await confirmChoice(question, {
    label: `They made ${what}, which would keep working.`,
    preselected: "delete",
    deleted: "Programs that use them stop working at once.",
    kept: "Anybody who knows a key can keep using it.",
  });
  return keysAndWebhooks === null ? null : { keysAndWebhooks };
}

interface ChoiceText {
  label: ReactNode;
  preselected: KeptOrDeleted;
  deleted: string;
  kept: string;
}

/** Null: cancelled. */
export async function confirmChoice(question: Question, text: ChoiceText): Promise<KeptOrDeleted | null> {
  let chosen = text.preselected;
  const body = (
    <Stack gap="md">
      <Text size="sm">{question.body}</Text>
      <Choice {...text} choose={(next) => (chosen = next)} />
    </Stack>
  );
  return (await confirm({ ...question, body })) ? chosen : null;
}

function Choice({
  label,
  preselected,
  deleted,
  kept,
  choose,
}: ChoiceText & { choose: (next: KeptOrDeleted) => void }) {
  const [value, setValue] = useState(preselected);
  const change = (next: string): void => {
    const is = next === "keep" ? "keep" : "delete";
    setValue(is);
    choose(is);
  };
  return (
    <Radio.Group label={label} value={value} onChange={change}>
      <Stack gap="xs" mt="xs">
        <Radio value="delete" label="Delete them" description={deleted} />
        <Radio value="keep" label="Keep them" description={kept} />
      </Stack>
    </Radio.Group>
  );
}
