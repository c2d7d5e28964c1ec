import { Button, Checkbox, Group, List, Select, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { BASE_URL } from "../../api/base";
import {
  connect,
  connectableStores,
  type Connected,
  type Connection,
  type ConnectionRequest,
} from "../../api/connections";
import { useUser } from "../../api/session";
import type { ListedStore } from "../../api/shapes";
import { useAction } from "../../kit/form/action";
import { Facts } from "../../kit/facts";
import { Loaded } from "../../kit/loaded";
import { wordsOf } from "./words";

interface ConnectFormProps {
  request: ConnectionRequest;
  connection: Connection;
  connected: (key: Connected) => void;
}

export function ConnectForm(props: ConnectFormProps) {
  const { name, redirectOrigin, given, notGiven } = props.connection;
  const stores = useQuery(connectableStores);
  const { email } = useUser();
  return (
    <Stack>
      <Text>
        An application asks for an API key of one of your stores. Continue only if you have just started this
        in your shop.
      </Text>
      <Facts
        facts={[
          ["Calls itself", <span className="breakable">{name}</span>],
          [
            "The key goes to",
            <span className="breakable">
              {redirectOrigin ?? "you: it is shown once, since the link names no address"}
            </span>,
          ],
          ["You are", <span className="breakable">{email}</span>],
        ]}
      />
      <Permissions title="With the key it may" names={given} />
      {notGiven.length > 0 && <Permissions title="It also asks for, and does not get" names={notGiven} />}
      <Loaded query={stores} lines={2}>
        {(owned) => <Consent {...props} stores={owned} />}
      </Loaded>
    </Stack>
  );
}

function Permissions({ title, names }: { title: string; names: readonly string[] }) {
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      <List size="sm">
        {[...new Set(names.map(wordsOf))].map((words) => (
          <List.Item key={words} className="breakable">
            {words}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function Consent(props: ConnectFormProps & { stores: readonly ListedStore[] }) {
  const { request, connection, connected, stores } = props;
  const { redirectOrigin } = connection;
  const only = stores.length === 1 ? stores[0] : undefined;
  const form = useForm<{ storeId: string | null; mayFrameCheckout: boolean }>({
    initialValues: { storeId: only?.storeId ?? null, mayFrameCheckout: false },
    validate: { storeId: (value) => (value === null ? "Choose a store." : null) },
  });
  // A second press comes before the button is drawn as loading.
  const giving = useRef(false);
  const give = useAction({
    run: ({ storeId, mayFrameCheckout }: typeof form.values) =>
      connect(storeId ?? "", { ...request, mayFrameCheckout }),
    form,
    then: connected,
    failed: () => void (giving.current = false),
  });
  const submit = (values: typeof form.values): void => {
    if (giving.current) return;
    giving.current = true;
    give.mutate(values);
  };
  if (stores.length === 0)
    return <Text fw={600}>You own no store yet: create one, or ask an owner to connect the shop.</Text>;
  return (
    <form onSubmit={(event) => form.onSubmit(submit)(event)}>
      <Stack>
        <Select
          label="Store"
          placeholder="Choose a store"
          data={choicesOf(stores)}
          searchable
          allowDeselect={false}
          withAsterisk
          {...form.getInputProps("storeId")}
        />
        {redirectOrigin !== null && (
          <Checkbox
            label={`${redirectOrigin} may show the payment page in a dialog of its own pages`}
            {...form.getInputProps("mayFrameCheckout", { type: "checkbox" })}
          />
        )}
        <Group justify="flex-end">
          <Button component="a" href={BASE_URL} variant="default">
            Cancel
          </Button>
          <Button type="submit" loading={give.isPending}>
            {redirectOrigin === null ? "Create the key" : "Send the key"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function choicesOf(stores: readonly ListedStore[]): { value: string; label: string }[] {
  const count = new Map<string, number>();
  for (const { name } of stores) count.set(name, (count.get(name) ?? 0) + 1);
  return stores.map(({ storeId, name }) => ({
    value: storeId,
    label: count.get(name) === 1 ? name : `${name} (${storeId})`,
  }));
}
