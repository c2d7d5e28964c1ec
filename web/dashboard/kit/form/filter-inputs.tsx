import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState, type ReactNode } from "react";

const TYPING_MS = 350;

interface TypedInputProps {
  label?: string;
  "aria-label"?: string;
  placeholder?: string;
  leftSection?: ReactNode;
  flex?: string;
  value: string | undefined;
  change: (value: string | undefined) => void;
}

/** When the typing pauses, or by Enter; follows the address. */
export function TypedInput({ value = "", change, ...input }: TypedInputProps) {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  if (value !== sent) {
    setSent(value);
    setText(value);
  }
  const sendSoon = useDebouncedCallback((typed: string) => {
    setSent(typed.trim());
    change(typed.trim() || undefined);
  }, TYPING_MS);
  return (
    <TextInput
      {...input}
      type="search"
      maxLength={200}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        sendSoon(currentTarget.value);
      }}
      onKeyDown={({ key }) => {
        if (key === "Enter") sendSoon.flush();
      }}
      onBlur={() => sendSoon.flush()} // before the next press takes effect
    />
  );
}

export function DayInput(props: {
  label: string;
  value: string | undefined;
  change: (value: string | undefined) => void;
}) {
  const { label, value = "", change } = props;
  return (
    <TextInput
      type="date"
      label={label}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value || undefined)}
    />
  );
}
