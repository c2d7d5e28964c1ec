import { Group, List, Stack, Text, ThemeIcon } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { StoreHome } from "../../api/home";
import { invoicesPath, type Invoice } from "../../api/invoices";
import { apiQuery } from "../../api/queries";
import { useRole } from "../../api/role";
import { Icon } from "../../kit/icon";
import { ButtonLink } from "../../kit/links";
import { Section } from "../../kit/section";

interface Step {
  done: boolean;
  title: string;
  why: string;
  action: string;
  to:
    | "/stores/$storeId/settings/payment-methods"
    | "/stores/$storeId/settings/api-keys"
    | "/stores/$storeId/webhooks"
    | "/stores/$storeId/invoices/new";
}

/** Gone when all is done, or money has come in without it. */
export function NextSteps({ storeId, home }: { storeId: string; home: StoreHome }) {
  const { can } = useRole(storeId);
  return can("owner") && home.invoices.Settled === 0 ? <Steps storeId={storeId} home={home} /> : null;
}

function Steps({ storeId, home }: { storeId: string; home: StoreHome }) {
  const some = { limit: 1 };
  const wallets = useQuery(apiQuery<{ data: unknown[] }>(`/stores/${storeId}/payment-methods`));
  const keys = useQuery(apiQuery<{ data: unknown[] }>(`/stores/${storeId}/api-keys`, some));
  const invoices = useQuery(apiQuery<{ data: Invoice[] }>(invoicesPath(storeId), some));
  if (wallets.data === undefined || keys.data === undefined || invoices.data === undefined) return null;
  const steps: Step[] = [
    {
      done: wallets.data.data.length > 0,
      title: "Set up a wallet",
      why: "Payments go straight to it, or to your own Lightning node. Nothing is stored that could spend.",
      action: "Set up a wallet",
      to: "/stores/$storeId/settings/payment-methods",
    },
    {
      done: keys.data.data.length > 0,
      title: "Create an API key",
      why: "Your shop creates invoices with it. Do you have no shop? Create a payment link instead.",
      action: "Create an API key",
      to: "/stores/$storeId/settings/api-keys",
    },
    {
      done: home.webhooks.length > 0,
      title: "Register a webhook",
      why: "Your shop is notified when an invoice is paid, and releases the order.",
      action: "Register a webhook",
      to: "/stores/$storeId/webhooks",
    },
    {
      done: invoices.data.data.length > 0,
      title: "Create the first invoice",
      why: "Create one by hand to try it, or let your shop create it.",
      action: "Create an invoice",
      to: "/stores/$storeId/invoices/new",
    },
  ];
  const next = steps.find(({ done }) => !done);
  if (next === undefined) return null;
  return (
    <Section title="Next steps">
      <List
        listStyleType="none"
        spacing="md"
        styles={{ itemWrapper: { width: "100%" }, itemLabel: { width: "100%" } }}
      >
        {steps.map((step) => (
          <List.Item key={step.to}>
            <StepLine storeId={storeId} step={step} next={step === next} />
          </List.Item>
        ))}
      </List>
    </Section>
  );
}

function StepLine({ storeId, step, next }: { storeId: string; step: Step; next: boolean }) {
  const { done, title, why, action, to } = step;
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="sm" wrap="nowrap" flex="1 1 16rem">
        <ThemeIcon variant="light" color={done ? "green" : "gray"} radius="xl" size="md">
          <Icon name={done ? "check" : "chevron-right"} size={16} />
        </ThemeIcon>
        <Stack gap={0}>
          <Text fw={600}>
            {title}
            {done && <span className="visually-hidden"> (done)</span>}
          </Text>
          <Text size="sm" c="dimmed">
            {why}
          </Text>
        </Stack>
      </Group>
      {!done && (
        <ButtonLink to={to} params={{ storeId }} size="sm" variant={next ? "filled" : "default"}>
          {action}
        </ButtonLink>
      )}
    </Group>
  );
}
