import { toErrorData, type Clock, type LogEntry } from '../../base/index.js';
import type { Billing, Change } from '../../billing/index.js';
import type { AuditEnd } from '../../metering/index.js';

/** An action that was refused, without money or an operator to bound how often: its actor may send it at any rate. */
export type RefusedAction = Pick<Change, 'actor' | 'action' | 'target' | 'diff'> & AuditEnd;

/** Writes refused actions that anyone may repeat to the audit log. */
export interface RefusalLog {
  /** Resolves when the entry is written, or counted. Never rejects: the action was refused already. */
  add(refusal: RefusedAction): Promise<void>;
}

/** Entries of one action within a minute. The next entry after them says how many were held back: a flood fills no log. */
const MAX_A_MINUTE = 20;
const MINUTE_MS = 60_000;

/** The refusals of one node. */
export function createRefusalLog(
  audit: Pick<Billing['audit'], 'record'>,
  clock: Clock,
  log: (entry: LogEntry) => void,
): RefusalLog {
  const actions = new Map<string, { readonly atMs: readonly number[]; readonly heldBack: number }>();
  return {
    async add({ diff, ...refusal }) {
      const { action } = refusal;
      const nowMs = clock.nowMs();
      const { atMs, heldBack } = actions.get(action) ?? { atMs: [], heldBack: 0 };
      const recent = atMs.filter((at) => nowMs - at < MINUTE_MS);
      if (recent.length >= MAX_A_MINUTE) return void actions.set(action, { atMs: recent, heldBack: heldBack + 1 });
      actions.set(action, { atMs: [...recent, nowMs], heldBack: 0 });
      const more = heldBack === 0 ? {} : { held_back: heldBack };
      await audit.record({ ...refusal, diff: { ...diff, ...more } }).catch((error: unknown) => {
        log({ event: 'audit failed', action, code: toErrorData(error).code });
      });
    },
  };
}
