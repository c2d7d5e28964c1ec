import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { put } from "../../api/call";
import { methodsPath, type WalletPreview } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { Copyable } from "../../kit/copy";
import { DataTable, type Column } from "../../kit/data-table";
import { SCRIPT_TYPES } from "./script-types";
import type { WalletBody } from "./wallet-body";

type Address = WalletPreview["addresses"][number];

const COLUMNS: readonly Column<Address>[] = [
  { label: "Path", render: ({ path }) => <span className="numeral">{path}</span> },
  {
    label: "Address",
    main: true,
    render: ({ address, path }) => <Copyable value={address} label={`address ${path}`} />,
  },
];

interface CompareProps {
  storeId: string;
  body: WalletBody;
  preview: WalletPreview;
  saved: () => void;
  back: () => void;
}

/** A wrong key loses every payment without a sound. */
export function CompareAddresses({ storeId, body, preview, saved, back }: CompareProps) {
  const [same, setSame] = useState(false);
  const path = methodsPath(storeId);
  const save = useAction({
    run: () => put(`${path}/BTC-CHAIN`, body),
    changes: [path, `/stores/${storeId}/home`, `/stores/${storeId}/alerts`],
    done: "The wallet is saved. New invoices are paid to it.",
    then: saved,
  });
  return (
    <Stack>
      <Text>
        Compare these with the receiving addresses that your own wallet shows. If they differ, your wallet
        would not see the payments: go back and choose another address type or another key.
      </Text>
      <Text size="sm" c="dimmed">
        {SCRIPT_TYPES[preview.scriptType]}, account{" "}
        <span className="numeral">{preview.origin ?? `with the key fingerprint ${preview.fingerprint}`}</span>
      </Text>
      <DataTable
        label="Addresses of this key"
        columns={COLUMNS}
        rows={preview.addresses}
        rowKey={({ path: at }) => at}
        empty={null}
      />
      <Checkbox
        label="My wallet shows the same addresses"
        checked={same}
        onChange={(event) => setSame(event.currentTarget.checked)}
      />
      <Group gap="xs">
        <Button disabled={!same} loading={save.isPending} onClick={() => save.mutate()}>
          Save wallet
        </Button>
        <Button variant="default" onClick={back}>
          Back
        </Button>
      </Group>
    </Stack>
  );
}
