import { notifications } from "@mantine/notifications";
import { messageOf } from "../api/problem";

const SHOWN_MS = 4000;
const ERROR_SHOWN_MS = 10_000;

export const toast = {
  done: (message: string) =>
    notifications.show({ message, color: "green", autoClose: SHOWN_MS, withBorder: true }),
  failed: (error: unknown) =>
    notifications.show({
      title: "That failed",
      message: messageOf(error),
      color: "red",
      autoClose: ERROR_SHOWN_MS,
      withBorder: true,
      role: "alert",
    }),
};
