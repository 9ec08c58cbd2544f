import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_ROWS, type RowsState } from '../../data/index.js';
import { useKit } from '../page/kit.js';
import { useSize } from '../page/use-size.js';
import { Failed, FailureNote, Loading } from '../views/states.js';
import { fitColumns, type ColumnSize } from './fit-columns.js';
import { ScrollEdges, useEdges } from './scroll-edges.js';
import { windowOf } from './row-window.js';

/** A column. The first one names its row and stays visible. The most important columns come first. */
export interface Column<T> extends ColumnSize {
  readonly id: string;
  readonly title: string;
  readonly align?: 'end';
  /** The name by which the API can sort; absent: it cannot. */
  readonly sort?: string;
  readonly cell: (row: T) => ComponentChildren;
}

/** The properties of a table whose rows load page by page. */
export interface DataTableProps<T> {
  readonly label: string;
  readonly state: RowsState<T>;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** The view of a table without rows. */
  readonly empty: ComponentChildren;
  readonly onMore?: () => void;
  readonly onReload: () => void;
  readonly onOpen?: (row: T) => void;
  readonly openKey?: string;
  readonly sort?: Sort;
  readonly onSort?: (by: string) => void;
}

/** The height of a row in rem. */
const ROW_REM = 2.25;
/** The table loads the next page this many rows before the end. */
const AHEAD = 30;

/** Draws only the visible rows, so 50,000 rows cost no more than 50. */
export function DataTable<T>(props: DataTableProps<T>): VNode {
  const { state, keyOf, onOpen, onMore } = props;
  const { clock } = useKit();
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const [top, setTop] = useState(0);
  const rem = remPixels();
  const rowHeight = ROW_REM * rem;
  const { columns, widthRem, isNarrow } = fitColumns(props.columns, size.width / rem);
  const [edges, lookAtEdges] = useEdges(scroller);
  const { rows, phase } = state;
  const { first, end } = windowOf(rows.length, top, size.height, rowHeight);
  useEffect(() => {
    if (phase === 'ready' && end > rows.length - AHEAD) onMore?.();
  }, [phase, end, rows.length]);

  if (rows.length === 0) {
    if (phase === 'failed' && state.failure !== undefined) {
      return <Failed failure={state.failure} onRetry={props.onReload} />;
    }
    if (phase === 'paused') return <Paused onMore={() => onMore?.()} />;
    return phase === 'end' ? <>{props.empty}</> : <Loading lines={8} />;
  }

  const focusRow = (index: number): void => {
    const { current } = scroller;
    if (current === null) return;
    const at = Math.max(0, Math.min(rows.length - 1, index));
    const [from, to] = [at * rowHeight, (at + 1) * rowHeight];
    if (from < current.scrollTop) current.scrollTop = from;
    else if (to > current.scrollTop + current.clientHeight - rowHeight)
      current.scrollTop = to - current.clientHeight + rowHeight;
    // The row is drawn after the scroll event, so this waits two frames.
    clock.onFrame(() =>
      clock.onFrame(() => current.querySelector<HTMLElement>(`tr[data-row="${at}"] .row-open`)?.focus()),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as Element).closest('tr[data-row]')?.getAttribute('data-row');
    const isInput = (event.target as Element).matches('input, select, textarea');
    if (row === null || row === undefined || isInput) return;
    const next = nextRow(event.key, Number(row), Math.floor(size.height / rowHeight) - 1, rows.length);
    if (next === undefined) return;
    event.preventDefault();
    focusRow(next);
  };

  return (
    <div class="table-frame" data-start={edges.start} data-end={edges.end}>
      <div
        ref={scroller}
        class="table-scroll"
        role="region"
        aria-label={props.label}
        tabIndex={onOpen === undefined ? 0 : undefined}
        onScroll={(event) => {
          setTop(event.currentTarget.scrollTop);
          lookAtEdges();
        }}
        onKeyDown={onKeyDown}
      >
        <table
          class={isNarrow ? 'data-table narrow' : 'data-table'}
          style={{ minWidth: `${widthRem}rem` }}
          aria-rowcount={phase === 'end' ? rows.length + 1 : -1}
        >
          <caption class="visually-hidden">{props.label}</caption>
          <colgroup>
            {columns.map(({ id, width }) => (
              <col key={id} style={{ width: `${width}rem` }} />
            ))}
          </colgroup>
          <TableHead columns={columns} sort={props.sort} onSort={props.onSort} />
          <tbody>
            <Spacer height={first * rowHeight} numColumns={columns.length} />
            {rows.slice(first, end).map((row, i) => {
              const key = keyOf(row);
              return (
                <tr
                  key={key}
                  data-row={first + i}
                  aria-rowindex={first + i + 2}
                  class={onOpen === undefined ? undefined : 'can-open'}
                  data-open={key === props.openKey}
                  onClick={(event) => isForRow(event) && onOpen?.(row)}
                >
                  {columns.map(({ id, align, cell }, column) =>
                    column === 0 ? (
                      <th key={id} scope="row">
                        <Cell>
                          {onOpen === undefined ? (
                            cell(row)
                          ) : (
                            <button type="button" class="row-open" onClick={() => onOpen(row)}>
                              {cell(row)}
                            </button>
                          )}
                        </Cell>
                      </th>
                    ) : (
                      <td key={id} class={align}>
                        <Cell>{cell(row)}</Cell>
                      </td>
                    ),
                  )}
                </tr>
              );
            })}
            <Spacer height={(rows.length - end) * rowHeight} numColumns={columns.length} />
          </tbody>
        </table>
        <Foot {...props} />
      </div>
      <ScrollEdges scroller={scroller} edges={edges} />
    </div>
  );
}

function Cell({ children }: { readonly children: ComponentChildren }): VNode {
  return <div class="cell">{children}</div>;
}

function Spacer({ height, numColumns }: { readonly height: number; readonly numColumns: number }): VNode | null {
  if (height <= 0) return null;
  return (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={numColumns} style={{ height: `${height}px` }} />
    </tr>
  );
}

/** The foot after the loaded rows. */
function Foot<T>({ state, onMore }: DataTableProps<T>): VNode | null {
  const { phase, failure } = state;
  if (phase === 'loading' || phase === 'first') {
    return (
      <p class="table-foot" role="status">
        <span class="spinner" aria-hidden="true" /> Loading more
      </p>
    );
  }
  if (phase === 'paused') return <Paused onMore={() => onMore?.()} />;
  if (phase === 'full') {
    return <p class="table-foot">These are the first {MAX_ROWS}. Narrow the filters to see others.</p>;
  }
  if (phase !== 'failed' || failure === undefined) return null;
  return (
    <div class="table-foot">
      <FailureNote failure={failure} />
      <button type="button" class="button" onClick={() => onMore?.()}>
        Try again
      </button>
    </div>
  );
}

function Paused({ onMore }: { readonly onMore: () => void }): VNode {
  return (
    <p class="table-foot">
      <span>Nothing was found for a while. There is more to look through.</span>
      <button type="button" class="button" onClick={onMore}>
        Look further
      </button>
    </p>
  );
}

/** Whether a click on a row is for the row, and not for a control in it or a text selection. */
function isForRow(event: MouseEvent): boolean {
  const isOnControl = (event.target as Element).closest('a, button, input, label, select') !== null;
  return !isOnControl && (getSelection()?.toString() ?? '') === '';
}

/** The row to which a key moves; undefined: no move. */
function nextRow(key: string, row: number, page: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return row + 1;
    case 'ArrowUp':
      return row - 1;
    case 'PageDown':
      return row + page;
    case 'PageUp':
      return row - page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

function remPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

/** The sort order of rows. */
interface Sort {
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

const WORDS = { asc: 'ascending', desc: 'descending' } as const;

/** The column headings. Headings of sortable columns are buttons. */
function TableHead(props: {
  readonly columns: readonly {
    readonly id: string;
    readonly title: string;
    readonly align?: 'end';
    readonly sort?: string;
  }[];
  readonly sort: Sort | undefined;
  readonly onSort: ((by: string) => void) | undefined;
}): VNode {
  const { columns, sort, onSort } = props;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ id, title, align, sort: by }) => {
          const order = by !== undefined && sort?.by === by ? sort.order : undefined;
          return (
            <th key={id} scope="col" class={align} aria-sort={order === undefined ? undefined : WORDS[order]}>
              {by === undefined || onSort === undefined ? (
                title
              ) : (
                <button type="button" class="sort" data-order={order} onClick={() => onSort(by)}>
                  {title}
                  <span aria-hidden="true">{order === 'asc' ? '↑' : order === 'desc' ? '↓' : '↕'}</span>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
