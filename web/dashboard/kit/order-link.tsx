import { Box } from "@mantine/core";
import { TextLink } from "./links";

/** In a table: to its invoice. */
export function OrderLink(props: { storeId: string; invoiceId: string; orderId: string }) {
  const { storeId, invoiceId, orderId } = props;
  return (
    <Box miw="5rem">
      <TextLink
        to="/stores/$storeId/invoices/$invoiceId"
        params={{ storeId, invoiceId }}
        className="breakable"
      >
        {orderId}
      </TextLink>
    </Box>
  );
}
