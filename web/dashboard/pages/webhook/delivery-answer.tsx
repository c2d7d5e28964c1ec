import { Text } from "@mantine/core";
import type { Delivery } from "../../api/webhooks";
import { formatDuration } from "../../kit/format/format-time";

export function DeliveryAnswer({ delivery: { httpStatus, error, durationMs } }: { delivery: Delivery }) {
  const said = httpStatus === null ? error : `HTTP ${httpStatus}`;
  if (said === null) return <>–</>;
  return (
    <>
      <span className="numeral">{said}</span>{" "}
      {durationMs !== null && (
        <Text span inherit c="dimmed" className="numeral">
          in {formatDuration(durationMs)}
        </Text>
      )}
    </>
  );
}
