import { Button, Chip, Collapse, Group, Paper, Select, SimpleGrid, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useId } from "react";
import { DayInput, TypedInput } from "../../kit/form/filter-inputs";
import { Icon } from "../../kit/icon";
import { STATES, TYPES, type DeliverySearch, type DeliverySearchChange } from "./search";

interface FiltersProps {
  search: DeliverySearch;
  change: (part: DeliverySearchChange) => void;
}

export function DeliveryFilters({ search, change }: FiltersProps) {
  const { state, ...others } = search;
  const hidden = Object.keys(others).length;
  const [opened, { toggle }] = useDisclosure(hidden > 0);
  const id = useId();
  return (
    <Stack gap="sm" role="search" aria-label="Deliveries">
      <Group gap="xs" justify="space-between">
        <Group gap={6} role="group" aria-label="State">
          <Chip.Group
            value={state ?? ANY}
            onChange={(chosen) => change({ state: STATES.find((known) => known === chosen) })}
          >
            {[ANY, ...STATES].map((word) => (
              <Chip key={word} value={word} size="sm" variant="outline">
                {word}
              </Chip>
            ))}
          </Chip.Group>
        </Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="funnel" size={14} />}
          aria-expanded={opened}
          aria-controls={id}
          onClick={toggle}
        >
          {hidden > 0 ? `Filters (${hidden})` : "Filters"}
        </Button>
      </Group>
      <Collapse expanded={opened} id={id}>
        <Paper withBorder p="md">
          <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
            <Select
              label="Event"
              placeholder="any"
              clearable
              data={TYPES}
              value={search.type ?? null}
              onChange={(type) => change({ type: TYPES.find((known) => known === type) })}
            />
            <TypedInput label="Invoice ID" value={search.invoice} change={(invoice) => change({ invoice })} />
            <DayInput label="From" value={search.from} change={(from) => change({ from })} />
            <DayInput label="Until" value={search.to} change={(to) => change({ to })} />
          </SimpleGrid>
        </Paper>
      </Collapse>
    </Stack>
  );
}

const ANY = "all";
