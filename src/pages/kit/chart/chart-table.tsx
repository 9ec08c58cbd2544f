import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ChartValues } from './draw-chart.js';

/** The values as a table, which is created on opening. */
export function ChartTable(
  props: ChartValues & {
    readonly title: string;
    readonly format: (value: number) => string;
    /** Names the step that begins at a time, in milliseconds. */
    readonly nameTime: (ms: number) => string;
  },
): VNode {
  const { title, times, series, format, nameTime } = props;
  const [isOpen, setOpen] = useState(false);
  const rows = useMemo(
    () =>
      isOpen ? times.flatMap((time, i) => (series.some(({ values }) => values[i]) ? [[time, i] as const] : [])) : [],
    [isOpen, times, series],
  );
  return (
    <details class="chart-values" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Values</summary>
      {isOpen && (
        <div class="scroll-y" role="region" aria-label={`${title}: values`} tabIndex={0}>
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" class="end">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([time, i]) => (
                <tr key={time}>
                  <th scope="row">{nameTime(time * 1_000)}</th>
                  {series.map(({ label, values }) => (
                    <td key={label} class="end">
                      {toText(values[i], format)}
                    </td>
                  ))}
                </tr>
              ))}
              {rows.length === 0 && (
                <tr>
                  <td colSpan={series.length + 1}>All values are zero or missing.</td>
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function toText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}
