/** With the confirmations that each requires, the fastest first. */
const CONFIRMATIONS = { HighSpeed: 0, MediumSpeed: 1, LowMediumSpeed: 2, LowSpeed: 6 } as const;

export const SPEED_POLICIES = ["HighSpeed", "MediumSpeed", "LowMediumSpeed", "LowSpeed"] as const;
export type SpeedPolicy = (typeof SPEED_POLICIES)[number];

export function confirmationsOf(policy: SpeedPolicy): number {
  return CONFIRMATIONS[policy];
}

/** The slowest policy that requires no more confirmations. */
export function speedPolicyOf(requiredConfirmations: number): SpeedPolicy {
  return SPEED_POLICIES.findLast((policy) => CONFIRMATIONS[policy] <= requiredConfirmations) ?? "HighSpeed";
}
