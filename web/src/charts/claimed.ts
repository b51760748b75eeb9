import type { Claim, Estimate } from "../api/records";
import type { Bounds } from "./props";

/**
 * Where a claimed relation lies on the axis of an estimate; null where it has no place that follows from the claim
 * alone. How a margin becomes bounds on a ratio is the judge's business.
 */
export function claimedBounds(relation: Claim["relation"], kind: Estimate["kind"]): Bounds | null {
  if (relation.kind === "at_least") return { low: relation.factor, high: null };
  if (kind === "ratio" || relation.kind === "within_tolerance") return null;
  return { low: -relation.within, high: relation.kind === "equal" ? relation.within : null };
}
