import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Entered } from "../api/account";
import { EntryFrame } from "../kit/entry-frame";
import { useEntered } from "../kit/use-entered";
import { CodeForm } from "./login/code-form";
import { PasswordForm } from "./login/password-form";

export function LoginPage() {
  const { next } = useSearch({ from: "/login" });
  const enter = useEntered();
  const [step, setStep] = useState<"password" | "code">("password");
  const onEntered = (entered: Entered): void => ("next" in entered ? setStep("code") : enter(next));
  return (
    <EntryFrame>
      {step === "password" ? (
        <PasswordForm onEntered={onEntered} />
      ) : (
        <CodeForm onEntered={onEntered} onBack={() => setStep("password")} />
      )}
    </EntryFrame>
  );
}
