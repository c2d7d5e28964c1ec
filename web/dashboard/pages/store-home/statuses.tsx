import { Group, Stack, Text } from "@mantine/core";
import type { StoreHome } from "../../api/home";
import { groupDigits } from "../../kit/format/format-money";
import { TextLink } from "../../kit/links";
import { Section } from "../../kit/section";
import { InvoiceBadge } from "../../kit/format/status";
import { STATUSES } from "../invoices/search";

export function StatusSection({ storeId, home }: { storeId: string; home: StoreHome }) {
  return (
    <Section title="Invoices" intro={`Created in the last ${home.days} days.`}>
      <Stack gap="xs">
        {STATUSES.map((status) => (
          <Group key={status} justify="space-between" wrap="nowrap">
            <InvoiceBadge status={status} />
            <Text size="sm">
              <TextLink
                to="/stores/$storeId/invoices"
                params={{ storeId }}
                search={{ status }}
                aria-label={`${home.invoices[status]} ${status}`}
                className="numeral"
              >
                {groupDigits(home.invoices[status])}
              </TextLink>
            </Text>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
