import { Flex, Paper, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { StoreHome } from "../../api/home";
import { groupDigits } from "../../kit/format/format-money";
import { TextLink } from "../../kit/links";
import { FailedLink } from "../../kit/format/webhook-badge";
import { Sats } from "../../kit/format/money";
import { receivedIn } from "./sums";

export function Tiles({ storeId, home }: { storeId: string; home: StoreHome }) {
  const { days, received, invoices, openAlerts, openReviews, webhooks } = home;
  const failed = webhooks.reduce((sum, { failedDeliveries }) => sum + failedDeliveries, 0);
  const settled = (
    <TextLink inherit to="/stores/$storeId/invoices" params={{ storeId }} search={{ status: "Settled" }}>
      {groupDigits(invoices.Settled)}
    </TextLink>
  );
  const reviews = (
    <TextLink inherit to="/stores/$storeId/reviews" params={{ storeId }}>
      {groupDigits(openReviews)}
    </TextLink>
  );
  const alerts = (
    <TextLink inherit to="/stores/$storeId/alerts" params={{ storeId }}>
      {groupDigits(openAlerts)}
    </TextLink>
  );
  const [failing, ...others] = webhooks.filter(({ failedDeliveries }) => failedDeliveries > 0);
  const deliveries =
    failing !== undefined && others.length === 0 ? (
      <FailedLink storeId={storeId} webhookId={failing.webhookId}>
        {groupDigits(failed)}
      </FailedLink>
    ) : (
      <TextLink inherit to="/stores/$storeId/webhooks" params={{ storeId }}>
        {groupDigits(failed)}
      </TextLink>
    );
  return (
    <Flex wrap="wrap" gap={{ base: "sm", sm: "lg" }}>
      <Tile label="To review" urgent={openReviews > 0}>
        {reviews}
      </Tile>
      <Tile label={`Received in ${days} days`}>
        <Sats value={receivedIn(received)} />
      </Tile>
      <Tile label={`Invoices settled in ${days} days`}>{settled}</Tile>
      <Tile label="Open alerts" urgent={openAlerts > 0}>
        {alerts}
      </Tile>
      <Tile label="Failed deliveries" urgent={failed > 0}>
        {deliveries}
      </Tile>
    </Flex>
  );
}

/** As many beside each other as their numbers leave room for. */
function Tile(props: { label: string; urgent?: boolean; children: ReactNode }) {
  const { label, urgent = false, children } = props;
  return (
    <Paper
      withBorder
      p="md"
      flex="1 1 8.5rem"
      {...(urgent ? { style: { borderColor: "var(--mantine-color-error)" } } : {})}
    >
      <Stack gap={2}>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        <Text fw={650} fz={{ base: "md", sm: "xl" }}>
          {children}
        </Text>
      </Stack>
    </Paper>
  );
}
