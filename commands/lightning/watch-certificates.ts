import { IsNull, Not } from "typeorm";
import { describeCertificate, expiresSoon } from "../../domain/lightning/node-access";
import { utcDay } from "../../domain/time-zone";
import { LightningNode } from "../../entities/lightning-node";
import type { CommandContext } from "../context";
import { raiseAlert, resolveAlertsExcept } from "../server/raise-alert";
import { inTransaction } from "../transaction";
import { openNode, subjectOf } from "./lightning-node";

/** Before a store's node is refused for its certificate. Returns how many such nodes there are. */
export async function watchCertificates(ctx: CommandContext): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const nodes = await tx.manager.findBy(LightningNode, {
      state: "active",
      storeId: Not(IsNull()),
      tlsCertificate: Not(IsNull()),
    });
    const now = await tx.now();
    const ending: string[] = [];
    for (const node of nodes) {
      const { storeId } = node;
      const certificate = openNode(tx.secrets, node)?.given?.certificate ?? null;
      if (certificate === null || storeId === null) continue;
      const facts = describeCertificate(certificate);
      if (!expiresSoon(facts, now)) continue;
      const subject = subjectOf(node.id);
      ending.push(subject);
      const message = `The certificate of the store's LND expires on ${utcDay(facts.validTo)}. Restart LND with tlsautorefresh=true, then check the node on the page Payment methods, and accept its new certificate.`;
      await raiseAlert(tx, { kind: "lightning-certificate", severity: "warning", subject, storeId, message });
    }
    await resolveAlertsExcept(tx, "lightning-certificate", ending);
    return ending.length;
  });
}
