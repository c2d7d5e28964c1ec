import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { LoginAnswer, SecondStep } from "../api/account";
import { EntryFrame } from "../kit/entry-frame";
import { useEntered } from "../kit/form/use-entered";
import { SecondStepForm } from "./login/code-form";
import { ForgottenForm } from "./login/forgotten-form";
import { PasswordForm } from "./login/password-form";

export function LoginPage() {
  const { next } = useSearch({ from: "/login" });
  const enter = useEntered();
  const [step, setStep] = useState<"password" | "forgotten" | SecondStep>("password");
  const back = (): void => setStep("password");
  const onEntered = (entered: LoginAnswer): void => ("next" in entered ? setStep(entered.by) : enter(next));
  return (
    <EntryFrame>
      {step === "password" && <PasswordForm onEntered={onEntered} onForgotten={() => setStep("forgotten")} />}
      {typeof step === "object" && <SecondStepForm by={step} onEntered={onEntered} onBack={back} />}
      {step === "forgotten" && <ForgottenForm onBack={back} />}
    </EntryFrame>
  );
}
