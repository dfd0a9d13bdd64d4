import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Term } from './term.js';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers stand right-aligned under each other. */
  numeric?: boolean;
  /** Of the glossary: what the column shows. */
  term?: string;
  /** Gives what to sort by; without it the column cannot be sorted. */
  sortBy?: (row: Row) => number | string;
}

export interface TableProps<Row> {
  /** Read out before the table; shown unless `captionHidden`. */
  caption: string;
  captionHidden?: boolean;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, nth: number) => string | number;
}

/** A table that scrolls sideways on a narrow screen; headers of sortable columns are buttons. */
export function Table<Row>({ caption, captionHidden, columns, rows, rowKey }: TableProps<Row>) {
  const [sorted, setSorted] = useState<{ name: string; down: boolean } | undefined>();
  const by = columns.find(({ name }) => name === sorted?.name)?.sortBy;
  const shown = by ? [...rows].sort((a, b) => compare(by(a), by(b)) * (sorted?.down ? -1 : 1)) : rows;
  const sort = (column: Column<Row>) =>
    setSorted((old) => ({
      name: column.name,
      down: old?.name === column.name ? !old.down : Boolean(column.numeric),
    }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
    <section class="table-scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class={captionHidden ? 'visually-hidden' : undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                class={column.numeric ? 'numeric' : undefined}
                aria-sort={column.sortBy && sortState(column.name, sorted)}
              >
                {column.sortBy ? (
                  <>
                    <button type="button" class="sort" onClick={() => sort(column)}>
                      {column.name}
                    </button>
                    {column.term && <Term id={column.term}>?</Term>}
                  </>
                ) : (
                  <Term id={column.term}>{column.name}</Term>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, nth) => (
            <tr key={rowKey(row, nth)}>
              {columns.map((column) => (
                <td key={column.name} class={column.numeric ? 'numeric' : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function sortState(name: string, sorted: { name: string; down: boolean } | undefined) {
  if (sorted?.name !== name) return 'none';
  return sorted.down ? 'descending' : 'ascending';
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
