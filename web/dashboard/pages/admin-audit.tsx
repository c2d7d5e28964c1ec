import { Button, Group, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AuditLine } from "../api/admin";
import { apiList } from "../api/queries";
import { SERVER_AUDIT } from "../kit/audit-table";
import { DataTable } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { TypedInput } from "../kit/form/filter-inputs";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { AUDIT_ACTIONS, type AuditSearch } from "./admin-audit/search";

export function AdminAuditPage() {
  const search = useSearch({ from: "/inside/admin/audit" });
  const lines = useInfiniteQuery(
    apiList<AuditLine>("/admin/audit", {
      action: search.action,
      storeId: search.store,
      actorId: search.actor,
    }),
  );
  return (
    <Page title="Audit log" intro="Changes on the whole server, newest first.">
      <AuditFilters search={search} />
      <Loaded query={lines}>
        {(rows) => (
          <DataTable
            label="Audit log"
            columns={SERVER_AUDIT}
            rows={rows}
            rowKey={({ auditId }) => auditId}
            more={lines}
            empty={
              <Empty icon="scroll-text" title="No matching entries">
                Remove a filter to see more.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  );
}

function AuditFilters({ search }: { search: AuditSearch }) {
  const navigate = useNavigate();
  const change = (part: { [K in keyof AuditSearch]?: AuditSearch[K] | undefined }): void =>
    void navigate({
      to: "/admin/audit",
      search: Object.fromEntries(
        Object.entries({ ...search, ...part }).filter(([, value]) => value !== undefined),
      ),
      replace: true,
    });
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label="Audit log">
      <Select
        label="What"
        placeholder="All"
        data={AUDIT_ACTIONS}
        clearable
        searchable
        clearButtonProps={{ "aria-label": "All kinds" }}
        value={search.action ?? null}
        onChange={(action) => change({ action: action ?? undefined })}
      />
      <TypedInput label="Store ID" value={search.store} change={(store) => change({ store })} />
      <TypedInput label="User or key ID" value={search.actor} change={(actor) => change({ actor })} />
      {Object.keys(search).length > 0 && (
        <Button
          variant="subtle"
          onClick={() => change({ action: undefined, store: undefined, actor: undefined })}
        >
          Clear all
        </Button>
      )}
    </Group>
  );
}
