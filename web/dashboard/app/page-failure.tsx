import { Container } from "@mantine/core";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useEffect } from "react";
import { Failure } from "../kit/failure";

export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const { reset: resetQueries } = useQueryErrorResetBoundary();
  useEffect(() => resetQueries(), [resetQueries]);
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <Container size="sm" py="xl">
      <Failure error={error} retry={retry} />
    </Container>
  );
}
