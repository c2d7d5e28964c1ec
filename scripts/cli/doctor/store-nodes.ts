import { cliCommand } from "../../../adapters/version";
import { SILENT_SECONDS } from "../../../commands/server/queries";
import { databaseNow } from "../../../database/data-source";
import { LightningNode } from "../../../entities/lightning-node";
import { type Database, type Finding, off, ok, warning } from "./check";

const NAMED_MAX = 5;
const SILENT = `not checked for ${SILENT_SECONDS} s: lightning-watch is not running`;

/** By what lightning-watch recorded: none is called. */
export async function storeNodesCheck(db: Database): Promise<Finding> {
  const active = await db.manager.find(LightningNode, {
    where: { state: "active" },
    order: { createdAt: "ASC" },
  });
  const nodes = active.filter(({ storeId }) => storeId !== null);
  if (nodes.length === 0) return off("No store has a Lightning node of its own.");
  const silentBefore = (await databaseNow(db.manager)).getTime() - SILENT_SECONDS * 1_000;
  const troubles = nodes.flatMap(({ storeId, checkedAt, createdAt, synchronized, problem }) => {
    const silent = (checkedAt ?? createdAt).getTime() < silentBefore;
    if (!silent && (synchronized || checkedAt === null)) return [];
    return [`${storeId} (${silent ? SILENT : (problem ?? "not caught up")})`];
  });
  if (troubles.length === 0) return ok(`Nodes of stores: ${nodes.length}, none in trouble.`);
  const more = troubles.length > NAMED_MAX ? ", …" : "";
  return warning(
    `Nodes of stores: ${nodes.length}, in trouble: ${troubles.length}. Stores: ${troubles.slice(0, NAMED_MAX).join(", ")}${more}`,
    `Run \`${cliCommand("lightning check --store S")}\` for each of them: the step that fails says what to do.`,
  );
}
