import { Anchor, Button, Group, Modal, Stack } from "@mantine/core";
import { post, remove } from "../../api/call";
import { paymentLinkPath, paymentLinksPath, type PaymentLink } from "../../api/payment-links";
import { useRole } from "../../api/role";
import { CopyField } from "../../kit/copy";
import { AskingButton } from "../../kit/form/asking-button";
import { useAction } from "../../kit/form/action";
import { Qr } from "../../kit/qr";

interface LinkProps {
  storeId: string;
  link: PaymentLink;
  close: () => void;
}

export function LinkDialog({ link, ...rest }: Omit<LinkProps, "link"> & { link: PaymentLink | null }) {
  return (
    <Modal opened={link !== null} onClose={rest.close} title={link?.description ?? ""}>
      {link !== null && <LinkDetails link={link} {...rest} />}
    </Modal>
  );
}

function LinkDetails({ storeId, link, close }: LinkProps) {
  const { can } = useRole(storeId);
  const { url } = link;
  return (
    <Stack>
      <Qr text={url} label="QR code of the payment link" size={200} />
      <CopyField label="Link" value={url} />
      <CopyField label="Button for your website" value={`<a href="${url}">Pay with Bitcoin</a>`} />
      <Anchor href={`${url}/print`} target="_blank" rel="noreferrer">
        A page to print
      </Anchor>
      {can("member") && <LinkActions storeId={storeId} link={link} close={close} />}
    </Stack>
  );
}

function LinkActions({ storeId, link: { linkId, archived, description }, close }: LinkProps) {
  const path = paymentLinkPath(storeId, linkId);
  const changes = [paymentLinksPath(storeId)];
  const archive = useAction({
    run: () => post(`${path}/${archived ? "unarchive" : "archive"}`, {}),
    changes,
    then: close,
  });
  const drop = useAction({
    run: () => remove(path),
    changes,
    done: "The payment link is deleted.",
    then: close,
  });
  const question = {
    title: "Delete this payment link?",
    body: `Nobody can pay at “${description}” any more. Its invoices stay.`,
    action: "Delete payment link",
    danger: true,
  };
  return (
    <Group gap="xs">
      <Button variant="default" loading={archive.isPending} onClick={() => archive.mutate()}>
        {archived ? "Unarchive" : "Archive"}
      </Button>
      <AskingButton variant="default" question={question} action={drop}>
        Delete
      </AskingButton>
    </Group>
  );
}
