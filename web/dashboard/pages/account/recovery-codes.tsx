import { Button, Code, Group, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import { CopyButton } from "../../kit/copy";

/** Closed only by its button: a click beside it would lose them. */
export function RecoveryCodes({ codes, onClose }: { codes: string[] | null; onClose: () => void }) {
  return (
    <Modal
      opened={codes !== null}
      onClose={onClose}
      title="Your recovery codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Text size="sm">
          Each code replaces the app once if you lose your phone. They are shown only now: print them or store
          them with your passwords.
        </Text>
        <SimpleGrid cols={1} spacing="xs" component="ul" style={{ listStyle: "none", padding: 0, margin: 0 }}>
          {(codes ?? []).map((code) => (
            <li key={code}>
              <Code block ta="center">
                {code}
              </Code>
            </li>
          ))}
        </SimpleGrid>
        <Group justify="space-between">
          <Group gap={4}>
            <CopyButton value={(codes ?? []).join("\n")} label="Copy all codes" />
            <Text size="sm">Copy all</Text>
          </Group>
          <Button onClick={onClose}>I have saved them</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
