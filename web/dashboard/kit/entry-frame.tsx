import { Center, Container, Group, Paper, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { BASE_URL } from "../api/base";
import { SchemeSwitch } from "./scheme-switch";

export function EntryFrame({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <Container size={wide ? "36rem" : "26rem"} py={{ base: "md", sm: "4rem" }} component="main">
      <Stack gap="lg">
        <Center>
          <Group gap="xs">
            <img src={`${BASE_URL}favicon.svg`} width={30} height={30} alt="" />
            <Text size="xl" fw={700}>
              Quittance
            </Text>
          </Group>
        </Center>
        <Paper withBorder p={{ base: "md", sm: "xl" }}>
          {children}
        </Paper>
        <Center>
          <SchemeSwitch />
        </Center>
      </Stack>
    </Container>
  );
}
