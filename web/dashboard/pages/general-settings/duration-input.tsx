import { NumberInput } from "@mantine/core";

interface DurationInputProps {
  label: string;
  description: string;
  unit: "minutes" | "hours";
  value?: number | string;
  onChange?: (seconds: number | string) => void;
  error?: string;
}

const SECONDS = { minutes: 60, hours: 3600 };

/** Seconds, shown in minutes or hours. */
export function DurationInput({ unit, value = "", onChange, ...input }: DurationInputProps) {
  const seconds = SECONDS[unit];
  return (
    <NumberInput
      {...input}
      suffix={` ${unit}`}
      min={0}
      decimalScale={2}
      value={value === "" ? "" : Number(value) / seconds}
      onChange={(count) => onChange?.(count === "" ? "" : Math.round(Number(count) * seconds))}
    />
  );
}
