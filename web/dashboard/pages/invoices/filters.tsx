import { Button, Chip, Collapse, Group, Paper, SimpleGrid, Stack, Switch, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useId, type ReactNode } from "react";
import { DayInput, TypedInput } from "../../kit/form/filter-inputs";
import { Icon } from "../../kit/icon";
import { ADDITIONAL, hiddenFilters, STATUSES, wordsOf, type InvoiceSearch } from "./search";

const ADDITIONAL_LABELS: Record<(typeof ADDITIONAL)[number], string> = {
  None: "Nothing unusual",
  Underpaid: "Underpaid",
  Overpaid: "Overpaid",
  PaidAfterExpiration: "Paid late",
};

interface FiltersProps {
  search: InvoiceSearch;
  change: (part: { [K in keyof InvoiceSearch]?: InvoiceSearch[K] | undefined }) => void;
  clear: () => void;
  children: ReactNode;
}

export function Filters({ search, change, clear, children }: FiltersProps) {
  const hidden = hiddenFilters(search);
  const [opened, { toggle }] = useDisclosure(hidden > 0);
  const id = useId();
  const set = Object.keys(search).length > 0;
  return (
    <Stack gap="sm" role="search" aria-label="Invoices">
      <Group gap="xs" align="flex-end">
        <TypedInput
          aria-label="Search invoices"
          placeholder="Part of order ID or description, 49.90 EUR, address, txid"
          leftSection={<Icon name="search" size={16} />}
          value={search.q}
          change={(q) => change({ q })}
          flex="1 1 16rem"
        />
        <Button
          variant="default"
          leftSection={<Icon name="funnel" size={16} />}
          aria-expanded={opened}
          aria-controls={id}
          onClick={toggle}
        >
          {hidden > 0 ? `Filters (${hidden})` : "Filters"}
        </Button>
        {children}
      </Group>
      <Group gap="xs">
        <Chips
          label="Status"
          words={STATUSES}
          value={search.status}
          change={(status) => change({ status })}
          name={(word) => word}
        />
        {set && (
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            Clear all
          </Button>
        )}
      </Group>
      <Collapse expanded={opened} id={id}>
        <MoreFilters search={search} change={change} />
      </Collapse>
    </Stack>
  );
}

function MoreFilters({ search, change }: Pick<FiltersProps, "search" | "change">) {
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TypedInput label="Order ID" value={search.order} change={(order) => change({ order })} />
          <DayInput label="Created from" value={search.from} change={(from) => change({ from })} />
          <DayInput label="Created until" value={search.to} change={(to) => change({ to })} />
        </SimpleGrid>
        <Stack gap={6}>
          <Text size="sm" fw={500}>
            What was unusual
          </Text>
          <Chips
            label="What was unusual"
            words={ADDITIONAL}
            value={search.additional}
            change={(additional) => change({ additional })}
            name={(word) => ADDITIONAL_LABELS[word]}
          />
        </Stack>
        <Switch
          label="Archived invoices"
          checked={search.archived === true}
          onChange={(event) => change({ archived: event.currentTarget.checked ? true : undefined })}
        />
      </Stack>
    </Paper>
  );
}

function Chips<W extends string>(props: {
  label: string;
  words: readonly W[];
  value: string | undefined;
  change: (value: string | undefined) => void;
  name: (word: W) => string;
}) {
  const { label, words, value, change, name } = props;
  return (
    <Group gap={6} role="group" aria-label={label}>
      <Chip.Group
        multiple
        value={wordsOf(value)}
        onChange={(chosen) => change(chosen.join(",") || undefined)}
      >
        {words.map((word) => (
          <Chip key={word} value={word} size="sm" variant="outline">
            {name(word)}
          </Chip>
        ))}
      </Chip.Group>
    </Group>
  );
}
