import type { Role } from "../../api/shapes";

export const ROLES: readonly { value: Role; label: string; may: string }[] = [
  { value: "viewer", label: "Viewer", may: "sees invoices, webhooks and deliveries" },
  { value: "member", label: "Member", may: "also creates and marks invoices, and redelivers" },
  { value: "owner", label: "Owner", may: "also changes settings, wallet, keys, webhooks and users" },
];

export const ROLE_CHOICES = ROLES.map(({ value, label }) => ({ value, label }));
