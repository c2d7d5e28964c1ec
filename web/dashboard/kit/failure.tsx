import { Alert, Button, Stack, Text } from "@mantine/core";
import { ApiError, messageOf } from "../api/problem";
import { Icon } from "./icon";

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert color="red" title="This page could not be loaded" icon={<Icon name="circle-alert" />} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        {requestId !== null && (
          <Text size="xs" className="breakable">
            Request {requestId}
          </Text>
        )}
        {retry !== undefined && (
          <Button size="xs" color="red.9" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
