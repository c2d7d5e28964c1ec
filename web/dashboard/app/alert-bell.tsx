import { ActionIcon, Indicator } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { apiQuery } from "../api/queries";
import type { Alert } from "../api/shapes";
import { Icon } from "../kit/icon";

const COUNTED = 100;

export function AlertBell({ storeId }: { storeId: string }) {
  const navigate = useNavigate();
  const { data } = useQuery(
    apiQuery<{ data: Alert[] }>(`/stores/${storeId}/alerts`, { state: "open", limit: COUNTED }),
  );
  const open = data?.data.length ?? 0;
  const label = open === 0 ? "Alerts: none open" : `Alerts: ${open} open`;
  return (
    <Indicator
      disabled={open === 0}
      label={open === COUNTED ? "99+" : open}
      size={16}
      color="red.9"
      offset={6}
    >
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => void navigate({ to: "/stores/$storeId/alerts", params: { storeId } })}
      >
        <Icon name="bell" />
      </ActionIcon>
    </Indicator>
  );
}
