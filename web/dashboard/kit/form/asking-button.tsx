import { Button, type ButtonProps } from "@mantine/core";
import { confirm, type Question } from "./confirm";

interface Props extends Omit<ButtonProps, "loading"> {
  question: Question;
  action: { mutate: () => void; isPending: boolean };
  "aria-label"?: string;
}

export function AskingButton({ question, action, ...look }: Props) {
  const ask = async (): Promise<void> => {
    if (await confirm(question)) action.mutate();
  };
  return <Button {...look} loading={action.isPending} onClick={() => void ask()} />;
}
