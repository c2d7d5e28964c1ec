import { PasswordInput, TextInput, VisuallyHidden, type PasswordInputProps } from "@mantine/core";

/** Browsers keep it under the account's name. */
export function NewPassword({ email, ...input }: { email: string } & PasswordInputProps) {
  return (
    <>
      <VisuallyHidden>
        <TextInput label="E-mail" value={email} readOnly autoComplete="username" tabIndex={-1} />
      </VisuallyHidden>
      <PasswordInput
        label="New password"
        description="At least ten characters. Several unrelated words make a good password."
        autoComplete="new-password"
        minLength={10}
        required
        data-autofocus
        {...input}
      />
    </>
  );
}
