import { Anchor, Code, Stack, Text } from "@mantine/core";
import type { Invoice } from "../../api/invoices";
import { useRole } from "../../api/role";
import { Copyable } from "../../kit/copy";
import { Facts } from "../../kit/facts";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";
import { EditInvoice } from "./edit";

export function DetailsSection({ invoice }: { invoice: Invoice }) {
  const { can } = useRole(invoice.storeId);
  return (
    <Section title="Details" actions={can("member") && <EditInvoice invoice={invoice} />}>
      <Facts
        facts={[
          ["Invoice ID", <Copyable key="id" value={invoice.invoiceId} label="the invoice ID" />],
          ["Created", <Time key="created" value={invoice.createdAt} />],
          ["Expires", <Time key="expires" value={invoice.expiresAt} />],
          ["Monitored until", <Time key="monitoring" value={invoice.monitoringUntil} />],
          ["Confirmations", invoice.requiredConfirmations],
          ["Tolerance", `${invoice.paymentTolerance} %`],
          ["Returns to", <Redirect key="redirect" invoice={invoice} />],
        ]}
      />
      <Stack gap={4}>
        <Text size="sm" c="dimmed">
          Metadata
        </Text>
        <Code block className="breakable">
          {JSON.stringify(invoice.metadata, null, 2)}
        </Code>
      </Stack>
    </Section>
  );
}

function Redirect({ invoice: { redirectUrl, redirectAutomatically } }: { invoice: Invoice }) {
  if (redirectUrl === null) return <>–</>;
  return (
    <>
      <Anchor inherit href={redirectUrl} target="_blank" rel="noreferrer" className="breakable">
        {redirectUrl}
      </Anchor>
      {redirectAutomatically && " (automatically)"}
    </>
  );
}
