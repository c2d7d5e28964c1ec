import { useInfiniteQuery } from "@tanstack/react-query";
import type { AuditLine } from "../../api/admin";
import { apiList } from "../../api/queries";
import { STORE_AUDIT } from "../../kit/audit-table";
import { DataTable } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";

export function StoreAuditSection({ storeId }: { storeId: string }) {
  const lines = useInfiniteQuery(apiList<AuditLine>(`/stores/${storeId}/audit`, { limit: 20 }));
  return (
    <Section title="Changes" intro="By users, API keys and the command line, newest first.">
      <Loaded query={lines}>
        {(rows) => (
          <DataTable
            label="Changes"
            columns={STORE_AUDIT}
            rows={rows}
            rowKey={({ auditId }) => auditId}
            more={lines}
            empty={
              <Empty icon="scroll-text" title="No changes yet">
                Every change of settings, wallet, keys, webhooks and users is recorded here.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Section>
  );
}
