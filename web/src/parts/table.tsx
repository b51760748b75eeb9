import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** One column of a table. */
export interface Column<Row> {
  /** What stands at its head. */
  readonly head: ComponentChildren;
  /** What stands in a row. */
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand to the right, digit under digit. */
  readonly numeric?: boolean;
  /** Holds sentences or lists, which a narrow column would make very tall. */
  readonly wide?: boolean;
}

interface TableProps<Row> {
  /** Names the table for those who cannot see what it stands under. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Class of a row, to mark it. */
  readonly rowClass?: (row: Row) => string;
}

/** A table whose first column names the row. Where it is too wide it scrolls by itself, also by keyboard. */
export function Table<Row>({ caption, columns, rows, rowKey, rowClass }: TableProps<Row>): JSX.Element {
  return (
    <Scrolling label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns are fixed
              <th key={index} scope="col" class={column.numeric ? "numeric" : ""}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={rowKey(row)} class={rowClass?.(row) ?? ""}>
              {columns.map((column, index) => cell(column, row, index))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function cell<Row>(column: Column<Row>, row: Row, index: number) {
  const style = `${column.numeric ? "numeric" : ""} ${column.wide ? "wide" : ""}`.trim();
  if (index > 0) {
    return (
      <td key={index} class={style}>
        {column.cell(row)}
      </td>
    );
  }
  return (
    <th key={index} scope="row" class={style}>
      {column.cell(row)}
    </th>
  );
}

function Scrolling({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => setOverflows(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);
  const reachable = overflows ? ({ role: "region", "aria-label": label, tabIndex: 0 } as const) : {};
  return (
    <div ref={box} class="scroll" {...reachable}>
      {children}
    </div>
  );
}
