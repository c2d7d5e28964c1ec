import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { openReviews, shownCount } from "../api/reviews";

export function ReviewCount({ storeId }: { storeId: string }) {
  const { data: { open } = { open: 0 } } = useQuery(openReviews(storeId));
  return open === 0 ? null : (
    <Badge color="yellow" aria-label={`${shownCount(open)} to decide`}>
      {shownCount(open)}
    </Badge>
  );
}
