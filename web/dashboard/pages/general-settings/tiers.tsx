import { Group, NumberInput, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { AddRow, RemoveRow } from "./rows";

interface Tier {
  aboveSats: number | string;
  confirmations: number | string;
}

export interface ConfirmationValues extends Record<string, unknown> {
  requiredConfirmations: number | string;
  confirmationTiers: Tier[];
  /** Empty: never. */
  zeroConfMaxSats: number | string;
}

const MOST = 20;

export function Tiers({ form }: { form: UseFormReturnType<ConfirmationValues> }) {
  const name = "confirmationTiers";
  const add = (): void => form.insertListItem(name, { aboveSats: "", confirmations: 3 });
  return (
    <Stack gap="xs" role="group" aria-label="Higher prices">
      <Text size="sm" fw={600}>
        Higher prices
      </Text>
      {form.values.confirmationTiers.map((_, at) => (
        // Rows have no id, and are only added at the end or removed.
        <Group key={at} gap="xs" align="flex-end" wrap="nowrap">
          <NumberInput
            label="Above"
            suffix=" sats"
            thousandSeparator=" "
            min={0}
            allowDecimal={false}
            hideControls
            flex={2}
            {...form.getInputProps(`${name}.${at}.aboveSats`)}
          />
          <NumberInput
            label="Confirmations"
            min={0}
            max={100}
            allowDecimal={false}
            flex={1}
            {...form.getInputProps(`${name}.${at}.confirmations`)}
          />
          <RemoveRow label={`Remove tier ${at + 1}`} onClick={() => form.removeListItem(name, at)} />
        </Group>
      ))}
      <AddRow label="Add a tier" full={form.values.confirmationTiers.length >= MOST} onClick={add} />
    </Stack>
  );
}
