import { Text } from "@mantine/core";
import type { ApiKey } from "../../api/settings";
import { confirm } from "../../kit/form/confirm";
import { confirmChoice, type KeptOrDeleted } from "../../kit/form/kept-or-deleted";

export interface KeyEnd {
  webhooks?: KeptOrDeleted;
}

/** The webhooks that it set are kept by default: a shop whose key is replaced still needs its own. Null: cancelled. */
export async function confirmKeyEnd({ name, webhooks: left }: ApiKey): Promise<KeyEnd | null> {
  const question = {
    title: `Delete the key ${name}?`,
    body: "Programs that use it stop working, and keys created with it are deleted too. This cannot be undone.",
    action: "Delete key",
    danger: true,
  };
  if (left.length === 0) return (await confirm(question)) ? {} : null;
  const webhooks = await confirmChoice(question, {
    label: (
      <>
        Webhooks whose URL was set with this key would keep getting the store&apos;s events:
        {left.map(({ webhookId, url }) => (
          <Text key={webhookId} component="span" display="block" className="breakable" inherit>
            {url}
          </Text>
        ))}
      </>
    ),
    preselected: "keep",
    deleted: "Nothing is sent to these URLs any more. Choose this if you do not know them.",
    kept: "A shop needs its webhook when its key is replaced.",
  });
  return webhooks === null ? null : { webhooks };
}
