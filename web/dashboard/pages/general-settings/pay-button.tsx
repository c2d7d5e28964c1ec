import { Text } from "@mantine/core";
import { BASE_URL } from "../../api/base";
import { CopyField } from "../../kit/copy";
import { TextLink } from "../../kit/links";
import { Section } from "../../kit/section";

export function PayButton({ storeId }: { storeId: string }) {
  const link = (attribute: string) => `<a ${attribute}href="${BASE_URL}i/INVOICE_ID">Pay with Bitcoin</a>`;
  return (
    <Section
      title="Pay button"
      intro="For your shop's page. Your shop's server creates the invoice, and its checkoutUrl is the URL of the link."
    >
      <CopyField label="As a page" description="A plain link, on any website." value={link("")} />
      <CopyField
        label="As a dialog"
        description="The customer stays on your page. Without scripts it is a plain link."
        value={`<script src="${BASE_URL}modal.js" async></script>\n${link("data-quittance ")}`}
      />
      <Text size="sm">
        A customer's browser can claim anything: only the{" "}
        <TextLink to="/stores/$storeId/webhooks" params={{ storeId }}>
          webhook
        </TextLink>{" "}
        (or reading the invoice by the API) proves that you were paid.
      </Text>
    </Section>
  );
}
