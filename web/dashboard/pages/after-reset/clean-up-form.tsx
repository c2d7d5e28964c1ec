import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import {
  disableTotp,
  endOtherSessions,
  removeOwnApiKey,
  removePasskey,
  voidLinks,
  type Account,
} from "../../api/account";
import { useAction } from "../../kit/form/action";
import { ButtonLink } from "../../kit/links";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";
import { useEntered } from "../../kit/form/use-entered";

interface Choice {
  sessions: boolean;
  links: boolean;
  apiKeyIds: string[];
  passkeyIds: string[];
  totp: boolean;
}

/** Each may be done again. The factors come last: the session was proven by them. */
async function cleanUp({ sessions, links, apiKeyIds, passkeyIds, totp }: Choice): Promise<void> {
  if (sessions) await endOtherSessions();
  if (links) await voidLinks();
  for (const id of apiKeyIds) await removeOwnApiKey(id);
  for (const id of passkeyIds) await removePasskey(id);
  if (totp) await disableTotp();
}

/** Sessions and links cost nothing; shops need keys, the account its factors. */
export function CleanUpForm({ account }: { account: Account }) {
  const { passkeys, totp, totpLastUsedAt, apiKeys } = account;
  const enter = useEntered();
  const form = useForm<Choice>({
    initialValues: { sessions: true, links: true, apiKeyIds: [], passkeyIds: [], totp: false },
  });
  const end = useAction({ run: cleanUp, done: "Done.", then: () => enter("/") });
  return (
    <form onSubmit={form.onSubmit((values) => end.mutate(values))}>
      <Stack>
        <Section title="Sessions and links">
          <Checkbox label="Log out all other sessions" {...form.getInputProps("sessions", CHECKBOX)} />
          <Checkbox label="Revoke unused one-time links" {...form.getInputProps("links", CHECKBOX)} />
        </Section>
        {(passkeys.length > 0 || totp) && (
          <Section title="Two-step login" intro="Choose what is not yours or no longer used.">
            <Checkbox.Group aria-label="Passkeys to remove" {...form.getInputProps("passkeyIds")}>
              <Stack>
                {passkeys.map(({ passkeyId, name, lastUsedAt }) => (
                  <Checkbox
                    key={passkeyId}
                    value={passkeyId}
                    label={`Remove the passkey ${name}`}
                    description={<LastUsed at={lastUsedAt} />}
                  />
                ))}
              </Stack>
            </Checkbox.Group>
            {totp && (
              <Checkbox
                label="Turn off the authenticator app and its recovery codes"
                description={<LastUsed at={totpLastUsedAt} />}
                {...form.getInputProps("totp", CHECKBOX)}
              />
            )}
          </Section>
        )}
        <ApiKeys apiKeys={apiKeys} chosen={form.getInputProps("apiKeyIds")} />
        <Group>
          <Button type="submit" loading={end.isPending}>
            Continue
          </Button>
          <ButtonLink to="/account" variant="subtle">
            Check the account first
          </ButtonLink>
        </Group>
      </Stack>
    </form>
  );
}

interface ApiKeysProps {
  apiKeys: Account["apiKeys"];
  chosen: object;
}

function ApiKeys({ apiKeys, chosen }: ApiKeysProps) {
  if (apiKeys.length === 0) return null;
  return (
    <Section
      title="API keys"
      intro="You created these. Programs that use a deleted key stop working. Keys created with it, and webhooks whose URL was set with it, are deleted too."
    >
      <Checkbox.Group aria-label="API keys to delete" {...chosen}>
        <Stack>
          {apiKeys.map(({ id, name, prefix, storeName, lastUsedAt }) => (
            <Checkbox
              key={id}
              value={id}
              label={`Delete the key ${name} (${prefix}…) of ${storeName}`}
              description={<LastUsed at={lastUsedAt} />}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </Section>
  );
}

const CHECKBOX = { type: "checkbox" } as const;

function LastUsed({ at }: { at: string | null }) {
  return (
    <Text inherit>
      {at === null ? (
        "Never used"
      ) : (
        <>
          Last used <Time value={at} relative />
        </>
      )}
    </Text>
  );
}
