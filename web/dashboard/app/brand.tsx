import { Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { BASE_URL } from "../api/base";
import classes from "./shell.module.css";

export function Brand() {
  return (
    <Link to="/stores" className={classes.brand}>
      <Group gap={8} wrap="nowrap">
        <img src={`${BASE_URL}favicon.svg`} width={26} height={26} alt="" />
        <Text fw={700} span>
          Quittance
        </Text>
      </Group>
    </Link>
  );
}
