import { Button, Menu } from "@mantine/core";
import { useState } from "react";
import { post } from "../../api/call";
import { invoicePath, invoicesPath, type Invoice } from "../../api/invoices";
import { useRole } from "../../api/role";
import { useAction } from "../../kit/form/action";
import { confirm } from "../../kit/form/confirm";
import { Icon } from "../../kit/icon";
import { MarkDialog, type Mark } from "./mark";

export function InvoiceActions({ invoice }: { invoice: Invoice }) {
  const { can } = useRole(invoice.storeId);
  const [mark, setMark] = useState<Mark | null>(null);
  const path = invoicePath(invoice.storeId, invoice.invoiceId);
  const check = useAction({
    run: () => post(`${path}/check`),
    changes: [path],
    done: "The invoice is up to date.",
  });
  if (!can("member")) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="refresh-cw" size={16} />}
        loading={check.isPending}
        onClick={() => check.mutate()}
      >
        Check now
      </Button>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="chevron-down" size={16} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {invoice.status !== "Settled" && (
            <Menu.Item
              leftSection={<Icon name="circle-check" size={16} />}
              onClick={() => setMark("Settled")}
            >
              Mark settled
            </Menu.Item>
          )}
          {invoice.status !== "Invalid" && (
            <Menu.Item leftSection={<Icon name="circle-x" size={16} />} onClick={() => setMark("Invalid")}>
              Mark invalid
            </Menu.Item>
          )}
          <ArchiveItem invoice={invoice} />
          <Menu.Divider />
          <EraseItem path={path} />
        </Menu.Dropdown>
      </Menu>
      <MarkDialog invoice={invoice} mark={mark} close={() => setMark(null)} />
    </>
  );
}

function ArchiveItem({ invoice: { storeId, invoiceId, archived } }: { invoice: Invoice }) {
  const archive = useAction({
    run: () => post(`${invoicePath(storeId, invoiceId)}/${archived ? "unarchive" : "archive"}`),
    changes: [invoicesPath(storeId)],
    done: archived ? "The invoice was restored." : "Archived. Payments to it are still detected.",
  });
  return (
    <Menu.Item
      leftSection={<Icon name={archived ? "archive-restore" : "archive"} size={16} />}
      onClick={() => archive.mutate()}
    >
      {archived ? "Restore" : "Archive"}
    </Menu.Item>
  );
}

function EraseItem({ path }: { path: string }) {
  const erase = useAction({
    run: () => post(`${path}/erase`),
    changes: [path],
    done: "The customer's data was erased.",
  });
  const ask = async (): Promise<void> => {
    const agreed = await confirm({
      title: "Erase the customer's data?",
      body: "The metadata except the order ID, the description, the return URL, the refund address, notes and the bodies of its webhook deliveries are erased permanently. Those deliveries can no longer be redelivered. Amounts, payments and the status stay.",
      action: "Erase permanently",
      danger: true,
    });
    if (agreed) erase.mutate();
  };
  return (
    <Menu.Item
      c="var(--mantine-color-error)"
      leftSection={<Icon name="trash-2" size={16} />}
      onClick={() => void ask()}
    >
      Erase customer's data
    </Menu.Item>
  );
}
