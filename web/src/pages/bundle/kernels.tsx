import type { ArmName, CellSummary, Schema } from "../../api/records";
import { measured, NONE, share } from "../../format/numbers";
import { Fold } from "../../parts/fold";
import { Empty } from "../../parts/note";
import { Table } from "../../parts/table";

type Reconciliation = Schema<"Reconciliation">;
type Arms = ReadonlyMap<ArmName, Reconciliation>;

/** One line of a step: a kernel, or what is left of the step. */
interface Part {
  readonly name: string;
  readonly of: (step: Reconciliation) => { readonly us: number; readonly launches?: number } | undefined;
}

const REST: readonly Part[] = [
  { name: "all kernels", of: step => ({ us: step.kernels_us }) },
  { name: "gaps between kernels", of: step => ({ us: step.gaps_us }) },
  { name: "residual, explained by nothing", of: step => ({ us: step.residual_us }) },
  { name: "the step", of: step => ({ us: step.step_us }) },
];

/** What the timed steps are made of: the longest kernels, the gaps, and what neither explains. */
export function Kernels({ cells }: { readonly cells: readonly CellSummary[] }) {
  const timed = cells.map(cell => ({ cell, arms: reconciled(cell) })).filter(one => one.arms.size > 0);
  if (timed.length === 0) return <Empty>The bundle holds no times of kernels.</Empty>;
  return (
    <>
      <p class="quiet">
        Medians over the steps of each arm's last block, against the median of the steps timed there.
      </p>
      {timed.map(({ cell, arms }) => (
        <Fold key={cell.cell.id} summary={`${cell.cell.id}: ${residuals(arms)}`}>
          {() => <Step id={cell.cell.id} arms={arms} />}
        </Fold>
      ))}
    </>
  );
}

function Step({ id, arms }: { readonly id: string; readonly arms: Arms }) {
  return (
    <Table
      caption={`A step of ${id}`}
      rows={[...kernels(arms), ...REST]}
      rowKey={part => part.name}
      columns={[
        { head: "part", wide: true, cell: part => part.name },
        ...[...arms].flatMap(([arm, step]) => [
          { head: `${arm}, launches`, numeric: true, cell: (part: Part) => part.of(step)?.launches ?? NONE },
          { head: `${arm}, µs`, numeric: true, cell: (part: Part) => measured(part.of(step)?.us ?? null) },
          { head: `${arm}, share`, numeric: true, cell: (part: Part) => shareOf(part, step) },
        ]),
      ]}
    />
  );
}

function shareOf(part: Part, step: Reconciliation): string {
  const found = part.of(step);
  return found === undefined || step.step_us === 0 ? NONE : share(found.us / step.step_us);
}

function kernels(arms: Arms): Part[] {
  const names = new Set([...arms.values()].flatMap(step => step.kernels.map(kernel => kernel.name)));
  return [...names].map(name => ({
    name,
    of: step => {
      const mine = step.kernels.filter(kernel => kernel.name === name);
      if (mine.length === 0) return undefined;
      return {
        us: mine.reduce((sum, kernel) => sum + kernel.total_us, 0),
        launches: mine.reduce((sum, kernel) => sum + kernel.launches, 0),
      };
    },
  }));
}

function reconciled(cell: CellSummary): Arms {
  return new Map(
    cell.arms.flatMap(arm => (arm.reconciliation ? [[arm.arm, arm.reconciliation] as const] : [])),
  );
}

function residuals(arms: Arms): string {
  return [...arms].map(([arm, step]) => `${arm} residual ${share(step.residual_share)}`).join(", ");
}
