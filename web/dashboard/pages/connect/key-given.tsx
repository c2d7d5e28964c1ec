import { Alert, Anchor, Code, List, Stack, Text } from "@mantine/core";
import { type Connected, type Connection, withoutRedirect } from "../../api/connections";
import { arrivalSearch, CONNECT_PATH } from "../../api/arrival";
import { BASE_URL } from "../../api/base";
import { CopyField } from "../../kit/copy";
import { Icon } from "../../kit/icon";
import { TextLink } from "../../kit/links";

const storeOf = ({ permissions }: Connected): string => permissions[0]?.split(":")[1] ?? "";

export function KeyShown({ connected }: { connected: Connected }) {
  return (
    <Stack>
      <Text>
        The key is shown only now. Put it into your shop&apos;s settings; if you lose it, delete it under API
        keys and connect the shop again.
      </Text>
      <CopyField label="API key" value={connected.apiKey} />
      <CopyField label="Store ID" value={storeOf(connected)} />
    </Stack>
  );
}

interface KeyOnItsWay {
  connected: Connected;
  connection: Connection;
}

/** Whether the browser arrives is not known. Whoever comes back finds this. */
export function KeySending({ connected, connection }: KeyOnItsWay) {
  return (
    <Alert
      color="blue"
      title="Your browser takes the key to the shop"
      icon={<Icon name="send" />}
      role="status"
    >
      The key is made. If the page of {connection.redirectOrigin} does not open, or does not say that it is
      connected, delete the key under <ApiKeys connected={connected} /> and start again in your shop.
    </Alert>
  );
}

/** The shop's address led on to another website, and the policy stopped the browser. */
export function KeyStopped({ connected, connection }: KeyOnItsWay) {
  return (
    <Alert
      color="orange"
      title="The browser stopped on the way to the shop"
      icon={<Icon name="triangle-alert" />}
      role="alert"
    >
      <Stack gap="xs">
        <Text size="sm">
          {connection.redirectOrigin} led on to another website, where the key may not go. It may have read
          the key before that.
        </Text>
        <List size="sm" type="ordered">
          <List.Item>Check in your shop whether it is connected. If it is, you are done.</List.Item>
          <List.Item>
            If it is not, delete the key <Code>{connection.name}</Code> under{" "}
            <ApiKeys connected={connected} />.
          </List.Item>
          <List.Item>
            Open your shop&apos;s administration at the address where it ends up (https://, with or without
            www.), and start again there; or{" "}
            <Anchor
              inherit
              c="inherit"
              href={`${BASE_URL}${CONNECT_PATH.slice(1)}?${withoutRedirect(arrivalSearch())}`}
            >
              create a key to enter by hand
            </Anchor>
            .
          </List.Item>
        </List>
      </Stack>
    </Alert>
  );
}

function ApiKeys({ connected }: { connected: Connected }) {
  return (
    <TextLink
      inherit
      c="inherit"
      to="/stores/$storeId/settings/api-keys"
      params={{ storeId: storeOf(connected) }}
    >
      API keys
    </TextLink>
  );
}
