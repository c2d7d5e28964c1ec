import { Button, Text } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { unsubscribe } from "../../api/mails";
import { EntryFrame } from "../../kit/entry-frame";
import { Failure } from "../../kit/failure";
import { useAction } from "../../kit/form/action";
import { Page } from "../../kit/page";

/** Without a login. Not before the button: programs that check mails open every link. */
export function UnsubscribePage() {
  const token = useLocation({ select: ({ hash }) => hash });
  const end = useAction({ run: () => unsubscribe(token), quiet: true });
  if (end.isSuccess)
    return (
      <EntryFrame>
        <Page title="No more mails" intro="Nothing of this store is sent to you any more.">
          <Text size="sm">You can choose mails again in the settings of the store.</Text>
        </Page>
      </EntryFrame>
    );
  return (
    <EntryFrame>
      <Page title="Stop these mails?" intro="Nothing of this store will be sent to you any more.">
        <Button loading={end.isPending} onClick={() => end.mutate()}>
          Stop the mails
        </Button>
        {end.isError && <Failure error={end.error} />}
      </Page>
    </EntryFrame>
  );
}
