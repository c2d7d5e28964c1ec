import { Alert, Stack, Text } from "@mantine/core";
import type { Connected } from "../../api/connections";
import { CopyField } from "../../kit/copy";
import { Icon } from "../../kit/icon";

/** For an application that named no address to send the key to. */
export function KeyShown({ connected: { apiKey, permissions } }: { connected: Connected }) {
  return (
    <Stack>
      <Text>
        The key is shown only now. Put it into your shop&apos;s settings; if you lose it, delete it under API
        keys and connect the shop again.
      </Text>
      <CopyField label="API key" value={apiKey} />
      <CopyField label="Store ID" value={permissions[0]?.split(":")[1] ?? ""} />
    </Stack>
  );
}

/** The browser is on its way to the shop; whoever comes back finds this. */
export function KeySent({ origin }: { origin: string }) {
  return (
    <Alert color="green" title="The key is sent" icon={<Icon name="circle-check" />} role="status">
      {origin} receives it now. If the shop&apos;s page does not open, delete the key under API keys and
      connect the shop again.
    </Alert>
  );
}
