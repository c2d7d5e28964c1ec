import { ActionIcon, Code, Group, Input, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useId } from "react";
import { Icon } from "./icon";

/** `label`: "Copy the Store ID". */
export function CopyButton({ value, label = "Copy" }: { value: string; label?: string }) {
  const { copied, copy } = useClipboard({ timeout: 1500 });
  const says = copied ? "Copied" : label;
  return (
    <Tooltip label={says}>
      <ActionIcon
        variant="subtle"
        color={copied ? "green" : "gray"}
        aria-label={says}
        onClick={() => copy(value)}
      >
        <Icon name={copied ? "check" : "copy"} size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

export function Copyable({ value, label, short = false }: { value: string; label: string; short?: boolean }) {
  const shown = short && value.length > 20 ? `${value.slice(0, 10)}…${value.slice(-6)}` : value;
  return (
    <Group gap={4} wrap="nowrap" style={{ display: "inline-flex", maxWidth: "100%" }}>
      <Code className="breakable" title={short ? value : undefined}>
        {shown}
      </Code>
      <CopyButton value={value} label={`Copy ${label}`} />
    </Group>
  );
}

export function CopyField(props: { label: string; value: string; description?: string }) {
  const { label, value, description } = props;
  const id = useId();
  return (
    <Input.Wrapper label={label} description={description} labelElement="div" labelProps={{ id }}>
      <Group gap={4} wrap="nowrap" mt={4} role="group" aria-labelledby={id}>
        <Code block className="breakable" flex={1}>
          {value}
        </Code>
        <CopyButton value={value} label={`Copy ${label}`} />
      </Group>
    </Input.Wrapper>
  );
}
