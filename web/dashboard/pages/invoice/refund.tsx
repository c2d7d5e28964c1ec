import { Text } from "@mantine/core";
import { patch } from "../../api/call";
import { invoicePath, type Invoice } from "../../api/invoices";
import { useRole } from "../../api/role";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { Copyable } from "../../kit/copy";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";

/** Left by the customer on the payment page. */
export function RefundSection({ invoice }: { invoice: Invoice }) {
  const { refundAddress, refundAddressAt, storeId } = invoice;
  const { can } = useRole(storeId);
  if (refundAddress === null || refundAddressAt === null) return null;
  return (
    <Section
      title="Refund address"
      intro="Left on the payment page. Nothing is sent to it automatically."
      actions={can("member") && <Clear invoice={invoice} />}
    >
      <Copyable value={refundAddress} label="the refund address" />
      <Text size="sm">
        <Time value={refundAddressAt} />. Anybody with the link could leave it: confirm it with the customer
        before you send a large amount.
      </Text>
    </Section>
  );
}

function Clear({ invoice: { storeId, invoiceId } }: { invoice: Invoice }) {
  const path = invoicePath(storeId, invoiceId);
  const clear = useAction({
    run: () => patch(path, { refundAddress: null }),
    changes: [path],
    done: "Cleared. The customer can leave another one.",
  });
  const question = {
    title: "Clear the refund address?",
    body: "It is removed, and anybody with the link to the payment page can leave another one.",
    action: "Clear the address",
    danger: true,
  };
  return (
    <AskingButton size="xs" variant="default" question={question} action={clear}>
      Clear
    </AskingButton>
  );
}
