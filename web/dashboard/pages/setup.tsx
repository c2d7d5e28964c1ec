import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { readLink, type LoginAnswer, type SecondStep } from "../api/account";
import { ApiError } from "../api/problem";
import { Empty } from "../kit/empty";
import { EntryFrame } from "../kit/entry-frame";
import { Failure } from "../kit/failure";
import { ButtonLink } from "../kit/links";
import { Loading } from "../kit/loaded";
import { Page } from "../kit/page";
import { useEntered } from "../kit/form/use-entered";
import { SecondStepForm } from "./login/code-form";
import { LinkForm } from "./login/link-form";

export function SetupPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  const [step, setStep] = useState<"link" | "done" | SecondStep>("link");
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: () => readLink(token),
    staleTime: Infinity,
    gcTime: 0,
    enabled: step === "link", // works once
  });
  const enter = useEntered();
  // Former sessions do not end by themselves: the user is asked.
  const next = link.data?.kind === "reset" ? "/account/after-reset" : "/";
  const onEntered = (entered: LoginAnswer): void => {
    setStep("next" in entered ? entered.by : "done");
    if (!("next" in entered)) enter(next);
  };
  return (
    <EntryFrame>
      {typeof step === "object" ? (
        <SecondStepForm by={step} onEntered={onEntered} onBack={() => enter("/login")} />
      ) : link.data !== undefined ? (
        <LinkForm token={token} link={link.data} onEntered={onEntered} />
      ) : link.isPending ? (
        <Loading />
      ) : (
        <NoLink error={link.error} />
      )}
    </EntryFrame>
  );
}

function NoLink({ error }: { error: unknown }) {
  const gone = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
  return (
    <Page title="This link does not work">
      {gone ? (
        <Empty
          icon="link"
          title="It has already been used or has expired"
          action={
            <ButtonLink to="/login" variant="default">
              Go to the login
            </ButtonLink>
          }
        >
          A link works once and for a short time. Ask for a new one.
        </Empty>
      ) : (
        <Failure error={error} />
      )}
    </Page>
  );
}
