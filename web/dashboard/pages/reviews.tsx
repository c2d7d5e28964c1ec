import { Group, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { apiList } from "../api/queries";
import { type Review, reviewsPath } from "../api/reviews";
import { useRole } from "../api/role";
import { DataTable } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { openColumns, resolvedColumns } from "./reviews/columns";
import { ResolveDialog } from "./reviews/resolve";

const ROUTE = "/inside/stores/$storeId/reviews";

export function ReviewsPage() {
  const { storeId } = useParams({ from: ROUTE });
  const { state = "open" } = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const { can } = useRole(storeId);
  const [resolving, setResolving] = useState<Review | null>(null);
  const reviews = useInfiniteQuery({
    ...apiList<Review>(reviewsPath(storeId), { state }),
    placeholderData: keepPreviousData,
  });
  const show = (chosen: string): void =>
    void navigate({
      to: "/stores/$storeId/reviews",
      params: { storeId },
      search: chosen === "resolved" ? { state: "resolved" } : {},
      replace: true,
    });
  const resolve = can("member") ? setResolving : null;
  return (
    <Page
      title="To review"
      intro="Money that no rule decides about: paid late, too much, too little, or to an invoice that no longer counts. Decide what becomes of it."
    >
      <Group>
        <SegmentedControl
          aria-label="Which reviews"
          value={state}
          onChange={show}
          data={[
            { value: "open", label: "To decide" },
            { value: "resolved", label: "Decided" },
          ]}
        />
      </Group>
      <Loaded query={reviews}>
        {(rows) => (
          <DataTable
            label="Reviews"
            columns={
              state === "open" ? openColumns(storeId, resolve) : resolvedColumns(storeId, can("member"))
            }
            rows={rows}
            rowKey={({ reviewId }) => reviewId}
            more={reviews}
            empty={state === "open" ? <NoneOpen /> : <NoneResolved />}
          />
        )}
      </Loaded>
      <ResolveDialog storeId={storeId} review={resolving} close={() => setResolving(null)} />
    </Page>
  );
}

function NoneOpen() {
  return (
    <Empty icon="circle-check" title="Nothing to decide">
      Late, partial and excess payments appear here until you say what became of them.
    </Empty>
  );
}

function NoneResolved() {
  return (
    <Empty icon="scroll-text" title="No decisions yet">
      What you decide about late, partial and excess payments is kept here.
    </Empty>
  );
}
