import { holdingClock, sleep } from '../../base/index.js';
import { print, toPrintable, type Interrupts, type Terminal } from '../../cli/index.js';
import { withOperator } from './operate.js';
import { requestTable, type ShownRequest } from '../../gateway/index.js';
import { renderRequest, REQUEST_HEADS } from './render-records.js';

/** Between two looks for requests that came. */
const FOLLOW_MS = 500;

/** Options of the list. */
export interface RequestsOptions {
  readonly config: string;
  readonly follow: boolean;
  readonly format: 'text' | 'json' | 'csv';
  readonly key: string | undefined;
  readonly limit: number;
  /** The time of the first ones. */
  readonly time: { readonly from_ms?: number; readonly to_ms?: number };
}

/** Shows the newest requests, and with `follow` also later ones until Ctrl-C. */
export async function showRequests(
  { config, follow, format, key, limit, time }: RequestsOptions,
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<void> {
  const { stdout, closed } = terminal;
  const hasTime = Object.keys(time).length > 0;
  const write = (row: ShownRequest): string => {
    if (format === 'text') return toPrintable(stdout, renderRequest(row));
    return format === 'json' ? `${JSON.stringify(row)}\n` : requestTable.line(row);
  };
  if (format === 'csv') await print(stdout, requestTable.header, closed);
  await interrupts.during(async (stop) => {
    let after: number | undefined;
    let hasHeads = format !== 'text';
    const show = async (): Promise<void> =>
      withOperator(config, terminal, async (operator) => {
        const params = {
          limit,
          ...(after === undefined ? time : { after }),
          ...(key !== undefined && { key_id: key }),
        };
        const { requests } = (await operator.run('requests', params)) as { requests: readonly ShownRequest[] };
        if (!hasHeads && requests.length > 0) {
          await print(stdout, REQUEST_HEADS, closed);
          hasHeads = true;
        }
        for (const row of requests) await print(stdout, write(row), closed);
        // As long as a time has none, it is asked for again: behind 0 come the oldest of all.
        if (requests.length > 0 || !hasTime) after = Math.max(after ?? 0, ...requests.map(({ seq }) => seq));
      });
    await show();
    while (follow && !stop.aborted) {
      await sleep(FOLLOW_MS, holdingClock, stop).catch(() => {});
      if (!stop.aborted) await show();
    }
  });
}
