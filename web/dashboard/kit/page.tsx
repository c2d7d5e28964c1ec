import { Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useEffect, useRef, type ReactNode } from "react";

interface PageProps {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  back?: ReactNode;
  narrow?: boolean;
  children: ReactNode;
}

let firstPage = true;

/** The title takes the focus when one comes by a link. */
export function Page({ title, intro, actions, back, narrow = false, children }: PageProps) {
  useDocumentTitle(`${title} · Quittance`);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!firstPage) heading.current?.focus({ preventScroll: true });
    firstPage = false;
  }, []);
  return (
    <Stack gap="lg" maw={narrow ? "44rem" : undefined}>
      <Stack gap={4}>
        {back !== undefined && <Text size="sm">{back}</Text>}
        <Group justify="space-between" gap="sm">
          <Title order={1} ref={heading} tabIndex={-1} className="page-title">
            {title}
          </Title>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {intro !== undefined && <Text c="dimmed">{intro}</Text>}
      </Stack>
      {children}
    </Stack>
  );
}
