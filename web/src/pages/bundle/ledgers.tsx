import type { Manifest, Schema } from "../../api/records";
import { count, counted } from "../../format/numbers";
import { Fold } from "../../parts/fold";
import { Empty } from "../../parts/note";
import { Table } from "../../parts/table";
import { Unknown } from "../../parts/text";

type Arm = Manifest["arms"][number];
type Bucket = Schema<"LedgerBucket">;
type Row = Bucket & { readonly arm: string };

/** Which decode path ran, bucket by bucket, and why the specialized one did not. */
export function Ledgers({ arms }: { readonly arms: readonly Arm[] }) {
  const known = arms.flatMap(arm =>
    arm.ledgers === "unknown" ? [] : arm.ledgers.map(ledger => ({ arm, ledger })),
  );
  const unknown = arms.filter(arm => arm.ledgers === "unknown");
  const evals = [...new Set(known.map(one => one.ledger.eval_id))];
  return (
    <>
      {unknown.map(arm => (
        <p key={arm.name}>
          {arm.name}: <Unknown />. Nothing proves which path it ran.
        </p>
      ))}
      {arms.length === 0 && <Empty>The bundle describes no arm.</Empty>}
      {evals.map(id => {
        const here = known.filter(one => one.ledger.eval_id === id);
        return (
          <div key={id} class="stack">
            <h3>
              <code>{id}</code>
            </h3>
            <Buckets
              id={id}
              rows={here.flatMap(({ arm, ledger }) =>
                ledger.buckets.map(bucket => ({ ...bucket, arm: arm.name })),
              )}
            />
            {here.map(({ arm, ledger }) => (
              <Kernels key={arm.name} arm={arm.name} digests={ledger.kernel_digests} />
            ))}
          </div>
        );
      })}
    </>
  );
}

function Buckets({ id, rows }: { readonly id: string; readonly rows: readonly Row[] }) {
  if (rows.length === 0) return <Empty>No step was counted.</Empty>;
  return (
    <Table
      caption={`Steps of ${id} by bucket and path`}
      rows={[...rows].sort(byBucket)}
      rowKey={row => `${bucketName(row)} ${row.arm}`}
      columns={[
        { head: "bucket", cell: bucketName },
        { head: "arm", cell: row => row.arm },
        { head: "specialized steps", numeric: true, cell: row => count(row.specialized_steps) },
        { head: "stock steps", numeric: true, cell: row => count(row.stock_steps) },
        { head: "why stock", wide: true, cell: row => <Reasons reasons={row.reasons} /> },
      ]}
    />
  );
}

function Reasons({ reasons }: { readonly reasons: Bucket["reasons"] }) {
  return (
    <>
      {reasons.map(({ reason, steps }) => (
        <span class="line" key={reason}>
          {reason} <span class="quiet">({count(steps)})</span>
        </span>
      ))}
    </>
  );
}

function Kernels({ arm, digests }: { readonly arm: string; readonly digests: readonly string[] }) {
  if (digests.length === 0) return <p class="quiet">{arm}: no kernel digest recorded.</p>;
  return (
    <Fold summary={`${arm}: ${counted(digests.length, "kernel digest")}`}>
      {() => (
        <ul class="plain">
          {digests.map(digest => (
            <li key={digest} class="digest">
              {digest}
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}

function bucketName(bucket: Bucket): string {
  const speculation = bucket.speculation === 0 ? "" : ` · ${counted(bucket.speculation, "draft")}`;
  return `${bucket.phase} · ${counted(bucket.rows, "row")} · ${counted(bucket.tokens_per_request, "token")} a request${speculation}`;
}

function byBucket(a: Row, b: Row): number {
  return (
    a.phase.localeCompare(b.phase) ||
    a.rows - b.rows ||
    a.tokens_per_request - b.tokens_per_request ||
    a.speculation - b.speculation ||
    a.arm.localeCompare(b.arm)
  );
}
