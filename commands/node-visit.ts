import type { LightningFacts, LightningPort, NodeAccess } from "./ports";

/** `names`: of an authority that is trusted, for other names; `authority`: of one that is not. */
export type CertificateProblem = "expired" | "not-yet-valid" | "names" | "other" | "authority";

export interface ShownCertificate {
  pem: string;
  /** Null: trusted. */
  problem: CertificateProblem | null;
}

/**
 * A first visit to a node whose access is not stored yet, step by step. Each rejects with NodeUnavailableError, whose
 * message has neither hosts nor the node's own words.
 */
export interface NodeVisit extends Pick<LightningPort, "addInvoice" | "cancelInvoice" | "receivableSats"> {
  /** `open`: what is at the address is no secret of the operator's network. */
  resolve(): Promise<{ open: boolean }>;
  reach(): Promise<void>;
  handshake(): Promise<ShownCertificate>;
  /** Without the macaroon. */
  state(): Promise<"locked" | "starting" | "active">;
  inspect(): Promise<LightningFacts & { version: string | null }>;
  /** Resolves when everything up to `state` would have ended since `reach` began, whatever answers there. */
  longest(): Promise<void>;
  close(): void;
}
export type VisitNode = (access: Required<NodeAccess>["given"]) => NodeVisit;
