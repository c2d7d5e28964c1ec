import { Alert, Group, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { remove } from "../../api/call";
import { apiQuery } from "../../api/queries";
import type { FormerNodes as Answer } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";

/** Replaced or removed ones that are still watched. */
export function FormerNodes({ storeId }: { storeId: string }) {
  const path = `/stores/${storeId}/lightning/former`;
  const { data } = useQuery(apiQuery<Answer>(path));
  const end = useAction({
    run: () => remove(path),
    changes: [path],
    done: "The former nodes are forgotten.",
  });
  const nodes = data?.data ?? [];
  if (nodes.length === 0) return null;
  const open = nodes.flatMap(({ invoices }) => invoices);
  const body =
    open.length === 0
      ? "Nothing can be paid there any more. Their macaroons and certificates are erased."
      : `Do this only if they are gone for good: a payment there of ${open.join(", ")} would not be seen any more.`;
  return (
    <Alert color="gray" title="Former nodes are still watched">
      <List size="sm">
        {nodes.map(({ id, address, invoices }) => (
          <List.Item key={id}>
            {address}: {invoices.length} {invoices.length === 1 ? "invoice" : "invoices"} could still be paid
            there
          </List.Item>
        ))}
      </List>
      <Text size="sm">
        Each is watched for ten minutes, and until its BOLT11s have ended or have been expired for a day. Then
        its macaroon and certificate are erased.
      </Text>
      <Group mt="xs">
        <AskingButton
          variant="default"
          question={{ title: "Forget the former nodes?", body, action: "Forget them", danger: true }}
          action={end}
        >
          Forget them now
        </AskingButton>
      </Group>
    </Alert>
  );
}
