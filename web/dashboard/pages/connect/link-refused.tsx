import { Alert, Code, Stack, Text } from "@mantine/core";
import { ApiError } from "../../api/problem";
import { Icon } from "../../kit/icon";

const FIELDS: Readonly<Record<string, { parameter: string; fix: string }>> = {
  redirect: {
    parameter: "redirect",
    fix: "It is your shop's own address: correct it in the shop's settings, and start again there.",
  },
  redirects: {
    parameter: "redirect",
    fix: "A link to this page names one address or none. Start again in your shop.",
  },
  permissions: {
    parameter: "permissions",
    fix: "Start again in your shop; if that does not help, update the plugin, or name the permissions in a link by hand.",
  },
  applicationName: {
    parameter: "applicationName",
    fix: "Give your shop a shorter name, or leave the parameter out of the link.",
  },
};

export const isRefusedLink = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 422;

/** No key can be made: which parameter is wrong, and what to do. */
export function LinkRefused({ error }: { error: ApiError }) {
  return (
    <Alert color="red" title="This link cannot be used" icon={<Icon name="circle-alert" />} role="alert">
      <Stack gap="xs">
        {Object.entries(error.fields).map(([field, message]) => {
          const known = FIELDS[field.split(".", 1)[0] ?? ""];
          return (
            <Text key={field} size="sm" className="breakable">
              <Code>{known?.parameter ?? field}</Code>: {message} {known?.fix}
            </Text>
          );
        })}
        <Text size="sm">No key was made. The link came from your shop, or from whoever gave it to you.</Text>
      </Stack>
    </Alert>
  );
}
