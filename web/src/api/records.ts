import type { components } from "./schema";

/** A record of the API by its name in docs/openapi.json. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

export type Assessment = Schema<"Assessment">;
export type BundlePage = Schema<"BundlePage">;
export type BundleRef = Schema<"BundleRef">;
export type CellSummary = Schema<"CellSummary">;
export type ChallengeRef = Schema<"ChallengeRef">;
export type CheckState = Schema<"CheckState">;
export type Claim = Schema<"Claim">;
export type Difference = Schema<"Difference">;
export type Environment = Schema<"Environment">;
export type Estimate = Schema<"Estimate">;
export type Finding = Schema<"Finding">;
export type JobRef = Schema<"JobRef">;
export type Manifest = Schema<"Manifest">;
export type PullRef = Schema<"PullRef">;
export type Verdict = Schema<"Verdict">;

export type JobState = JobRef["state"];
export type LeaseOutcome = NonNullable<Schema<"LeaseItem">["outcome"]>;
export type ArmName = Schema<"ArmSummary">["arm"];
export type Outcome = Verdict["outcome"];
export type Severity = Finding["severity"];
export type UploadState = BundleRef["upload_state"];
export type ValidationState = BundleRef["validation_state"];
export type Standing = NonNullable<BundleRef["standing"]>;
export type RulingKind = BundleRef["rulings"][number]["kind"];
export type SignatureState = BundleRef["signature"];
