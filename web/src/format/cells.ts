import type { Claim, Schema } from "../api/records";

type Cell = Schema<"Cell">;

/** The coordinates of a cell, without what is unknown or does not apply: `batch 4 · context 64 · TP 1`. */
export function coordinates(cell: Cell): string {
  const parts = [
    cell.task,
    labelled("batch", cell.batch),
    labelled("context", cell.context_tokens),
    labelled("input", cell.input_tokens),
    labelled("output", cell.output_tokens),
    labelled("TP", cell.tensor_parallel),
    cell.context_parallel === 1 ? null : labelled("CP", cell.context_parallel),
    speculation(cell.speculation),
  ];
  return parts.filter(part => part !== null).join(" · ") || cell.id;
}

/** How a cell speculates; null where it does not, or where nobody knows. */
export function speculation(value: Cell["speculation"]): string | null {
  if (value === "unknown" || value.kind === "none") return null;
  const name = `${value.kind} speculation (${value.method}, ${value.drafts} drafts`;
  return value.kind === "synthetic" ? `${name}, ${value.acceptance_length} accepted)` : `${name})`;
}

/** Which cells a claim is about: `batch 1, 4 · context 64`; a claim without a selector is about all. */
export function selected(claim: Claim): string {
  const { cells } = claim;
  const parts = [
    listed("batch", cells.batch),
    listed("context", cells.context),
    listed("TP", cells.tp),
    listed("CP", cells.cp),
    listed("phase", cells.phase),
    listed("speculation", cells.speculation),
    listed("task", cells.task),
    acceptance(claim.acceptance),
    claim.suite === null ? null : `suite ${claim.suite}`,
  ];
  return parts.filter(part => part !== null).join(" · ") || "every cell of the metric";
}

function acceptance(value: Claim["acceptance"]): string | null {
  if (value === null) return null;
  return value.kind === "synthetic" ? `acceptance synthetic ${value.length}` : `acceptance ${value.kind}`;
}

function labelled(name: string, value: number | "unknown"): string | null {
  return value === "unknown" ? null : `${name} ${value}`;
}

function listed(name: string, values: readonly (number | string)[] | null): string | null {
  return values === null ? null : `${name} ${values.join(", ")}`;
}
