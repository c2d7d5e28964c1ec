import { Button } from "@mantine/core";
import { Icon } from "../icon";

export function PasskeyButton({ loading, onClick }: { loading: boolean; onClick: () => void }) {
  return (
    <Button
      variant="default"
      leftSection={<Icon name="fingerprint-pattern" />}
      loading={loading}
      onClick={onClick}
    >
      Use a passkey
    </Button>
  );
}
