import { Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Member } from "../../api/settings";
import { confirm, type Question } from "./confirm";

type KeptOrDeleted = "keep" | "delete";
type Made = Member["made"];

const counted = (count: number, one: string): string[] =>
  count === 0 ? [] : [`${count} ${one}${count === 1 ? "" : "s"}`];

/** "2 API keys and 1 webhook"; null where there is nothing. */
function nameOf({ apiKeys, webhooks }: Made): string | null {
  const parts = [...counted(apiKeys, "API key"), ...counted(webhooks, "webhook")];
  return parts.length === 0 ? null : parts.join(" and ");
}

/**
 * Asks before a user's rights end, and whether to delete the API keys and webhooks that they created: deleted by
 * default. Null: cancelled.
 */
export async function confirmEnd(
  question: Question & { body: string },
  made: Made,
): Promise<{ keysAndWebhooks?: KeptOrDeleted } | null> {
  const what = nameOf(made);
  if (what === null) return (await confirm(question)) ? {} : null;
  let chosen: KeptOrDeleted = "delete";
  const body = (
    <Stack gap="md">
      <Text size="sm">{question.body}</Text>
      <Choice what={what} choose={(next) => (chosen = next)} />
    </Stack>
  );
  return (await confirm({ ...question, body })) ? { keysAndWebhooks: chosen } : null;
}

function Choice({ what, choose }: { what: string; choose: (next: KeptOrDeleted) => void }) {
  const [value, setValue] = useState<KeptOrDeleted>("delete");
  const change = (next: string): void => {
    const is = next === "keep" ? "keep" : "delete";
    setValue(is);
    choose(is);
  };
  return (
    <Radio.Group label={`They made ${what}, which would keep working.`} value={value} onChange={change}>
      <Stack gap="xs" mt="xs">
        <Radio
          value="delete"
          label="Delete them"
          description="Programs that use them stop working at once."
        />
        <Radio value="keep" label="Keep them" description="Anybody who knows a key can keep using it." />
      </Stack>
    </Radio.Group>
  );
}
