import type {
  ChallengeRef,
  CheckState,
  Finding,
  JobState,
  LeaseOutcome,
  Outcome,
  PullRef,
  RulingKind,
  Severity,
  SignatureState,
  Standing,
  UploadState,
  ValidationState,
} from "../api/records";

/** How a word is coloured. The word and its icon say the same without the colour. */
export type Tone = "good" | "bad" | "doubt" | "quiet" | "apart" | "plain";

/** The icon that stands beside a word. */
export type Sign =
  | "check"
  | "cross"
  | "wave"
  | "empty"
  | "unequal"
  | "open"
  | "merged"
  | "clock"
  | "shield"
  | "info"
  | "warning";

/** A state as it is shown. */
export interface Word {
  readonly text: string;
  readonly tone: Tone;
  readonly sign: Sign;
}

export const OUTCOMES: Readonly<Record<Outcome, Word>> = {
  supported: { text: "supported", tone: "good", sign: "check" },
  contradicted: { text: "contradicted", tone: "bad", sign: "cross" },
  inconclusive: { text: "inconclusive", tone: "doubt", sign: "wave" },
  no_evidence: { text: "no evidence", tone: "quiet", sign: "empty" },
  not_comparable: { text: "not comparable", tone: "apart", sign: "unequal" },
};

export const UPLOADS: Readonly<Record<UploadState, Word>> = {
  open: { text: "open", tone: "doubt", sign: "clock" },
  complete: { text: "complete", tone: "good", sign: "check" },
  expired: { text: "expired", tone: "bad", sign: "cross" },
};

export const VALIDATIONS: Readonly<Record<ValidationState, Word>> = {
  pending: { text: "pending", tone: "quiet", sign: "clock" },
  running: { text: "running", tone: "quiet", sign: "clock" },
  valid: { text: "valid", tone: "good", sign: "check" },
  invalid: { text: "invalid", tone: "bad", sign: "cross" },
  quarantined: { text: "quarantined", tone: "doubt", sign: "warning" },
  error: { text: "error", tone: "bad", sign: "warning" },
};

export const STANDINGS: Readonly<Record<Standing, Word>> = {
  current: { text: "current", tone: "good", sign: "check" },
  inherited: { text: "inherited (kernel-identical)", tone: "plain", sign: "info" },
  stale: { text: "stale", tone: "doubt", sign: "clock" },
  superseded: { text: "superseded", tone: "quiet", sign: "clock" },
  retracted: { text: "retracted", tone: "bad", sign: "empty" },
  invalidated: { text: "invalidated", tone: "bad", sign: "cross" },
};

export const RULINGS: Readonly<Record<RulingKind, string>> = {
  retracted: "Retracted: its contents are gone",
  invalidated: "Invalidated: it is shown and counts for nothing",
  released: "Released from quarantine",
  retired: "Contents not kept any longer",
};

export const SIGNATURES: Readonly<Record<SignatureState, Word>> = {
  absent: { text: "not signed", tone: "quiet", sign: "empty" },
  valid: { text: "signature holds", tone: "good", sign: "check" },
  invalid: { text: "signature does not hold", tone: "bad", sign: "cross" },
  unknown_key: { text: "signed by an unknown key", tone: "doubt", sign: "warning" },
};

export const FATES: Readonly<Record<ChallengeRef["fate"], Word>> = {
  open: { text: "open", tone: "quiet", sign: "clock" },
  used: { text: "used", tone: "good", sign: "check" },
  abandoned: { text: "abandoned", tone: "doubt", sign: "warning" },
  expired: { text: "expired unused", tone: "doubt", sign: "warning" },
};

export const JOBS: Readonly<Record<JobState, Word>> = {
  unapproved: { text: "not approved", tone: "doubt", sign: "warning" },
  queued: { text: "queued", tone: "quiet", sign: "clock" },
  leased: { text: "running", tone: "plain", sign: "open" },
  done: { text: "done", tone: "good", sign: "check" },
  cancelled: { text: "cancelled", tone: "quiet", sign: "empty" },
  stale: { text: "stale", tone: "doubt", sign: "clock" },
  quarantined: { text: "quarantined", tone: "bad", sign: "warning" },
  dead: { text: "given up", tone: "bad", sign: "cross" },
};

export const LEASES: Readonly<Record<LeaseOutcome, Word>> = {
  finished: { text: "finished", tone: "good", sign: "check" },
  failed: { text: "failed", tone: "bad", sign: "cross" },
  interrupted: { text: "interrupted", tone: "doubt", sign: "wave" },
  expired: { text: "went silent", tone: "doubt", sign: "clock" },
  cancelled: { text: "cancelled", tone: "quiet", sign: "empty" },
  replaced: { text: "asked anew", tone: "quiet", sign: "empty" },
};

export const CONCLUSIONS: Readonly<Record<CheckState["conclusion"], Word>> = {
  success: { text: "success", tone: "good", sign: "check" },
  failure: { text: "failure", tone: "bad", sign: "cross" },
  neutral: { text: "neutral", tone: "quiet", sign: "empty" },
  action_required: { text: "action required", tone: "doubt", sign: "warning" },
};

export const POSTS: Readonly<Record<CheckState["state"], string>> = {
  pending: "waits to be posted",
  sent: "posted",
  superseded: "replaced by a newer one",
  dead: "could not be posted",
};

export const SEVERITIES: Readonly<Record<Severity, Word>> = {
  error: { text: "error", tone: "bad", sign: "cross" },
  warning: { text: "warning", tone: "doubt", sign: "warning" },
  info: { text: "note", tone: "quiet", sign: "info" },
};

export const EFFECTS: Readonly<Record<Finding["effect"], string>> = {
  invalidates: "the whole bundle counts for nothing",
  quarantines: "the bundle is set aside until a person has looked at it",
  blocks: "claims that it touches get no evidence from this bundle",
  limits: "claims of a speed-up that it touches get no evidence from this bundle",
  notes: "shown, and nothing else",
};

/** Where a pull request stands on GitHub. */
export function pullState(pull: PullRef): Word {
  if (pull.merged) return { text: "merged", tone: "apart", sign: "merged" };
  if (pull.state === "closed") return { text: "closed", tone: "bad", sign: "cross" };
  return pull.draft
    ? { text: "draft", tone: "quiet", sign: "empty" }
    : { text: "open", tone: "good", sign: "open" };
}
