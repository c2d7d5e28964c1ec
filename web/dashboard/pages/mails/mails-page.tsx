import { Alert, Button, Checkbox, Group, Radio, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { put } from "../../api/call";
import { type Mails, mailsPath } from "../../api/mails";
import { apiQuery } from "../../api/queries";
import { useAction } from "../../kit/form/action";
import { Loaded } from "../../kit/loaded";
import { Page } from "../../kit/page";
import { Section } from "../../kit/section";

const KINDS: readonly (readonly [Mails["kinds"][number], label: string, description: string])[] = [
  ["paid", "Paid", "An invoice is settled. You can fulfil the order."],
  ["to-review", "To review", "An invoice waits for your decision, such as a late or partial payment."],
  ["webhook-failing", "Webhook failing", "Several deliveries in a row failed."],
  ["node-away", "Node away", "The Bitcoin or Lightning node does not respond, or lags behind."],
];

const SUMMARIES: readonly (readonly [Mails["summary"], label: string])[] = [
  ["none", "No summary"],
  ["daily", "Every day, of the day before"],
  ["weekly", "Every Monday, of the week before"],
];

export function MailsPage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/settings/mails" });
  const mails = useQuery(apiQuery<Mails>(mailsPath(storeId)));
  return (
    <Page title="Mails" intro="What this store sends to you. Other users choose for themselves." narrow>
      <Loaded query={mails}>{(data) => <MailsForm storeId={storeId} mails={data} />}</Loaded>
    </Page>
  );
}

function MailsForm({ storeId, mails }: { storeId: string; mails: Mails }) {
  const { kinds, summary, available, timeZone } = mails;
  const form = useForm({ initialValues: { kinds: kinds, summary: summary } });
  const save = useAction({
    run: (values: typeof form.values) => put(mailsPath(storeId), values),
    changes: [mailsPath(storeId)],
    done: "Saved",
    form,
    then: () => form.resetDirty(),
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} aria-label="Mails">
      <Stack gap="lg">
        {!available && (
          <Alert color="yellow" title="This server sends no mails">
            Its operator has not set a mail server. What you choose applies once there is one.
          </Alert>
        )}
        <Section
          title="As it happens"
          intro="What happens within some minutes is in one mail. Each has a link that ends them."
        >
          <Checkbox.Group aria-label="As it happens" {...form.getInputProps("kinds")}>
            <Stack>
              {KINDS.map(([value, label, description]) => (
                <Checkbox key={value} value={value} label={label} description={description} />
              ))}
            </Stack>
          </Checkbox.Group>
        </Section>
        <Section title="Summary" intro={`At seven in the morning (${timeZone}).`}>
          <Radio.Group aria-label="Summary" {...form.getInputProps("summary")}>
            <Stack>
              {SUMMARIES.map(([value, label]) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Stack>
          </Radio.Group>
        </Section>
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
