import type { VNode } from 'preact';

/** By what rows are ordered. */
export interface Sort {
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

const WORDS = { asc: 'ascending', desc: 'descending' } as const;

/** The names of columns; those that the API orders by are buttons. */
export function TableHead(props: {
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
