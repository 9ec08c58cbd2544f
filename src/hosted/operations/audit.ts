import type { AuditEntry } from '../../billing/index.js';
import { Type } from '../../schema/index.js';
import { operation, pageFields } from './operation.js';
import { toTime } from './shown.js';

/** Who changed what, the newest first. */
export const listAudit = operation({
  params: Type.Object(pageFields),
  async run({ billing }, query) {
    const { items, next = null } = await billing.audit(query);
    return { entries: items.map(showEntry), next };
  },
});

function showEntry({ seq, atMs, actor, action, target, diff }: AuditEntry) {
  return { seq, time: toTime(atMs), actor, action, target, diff: readDiff(diff) };
}

/** A text that was cut is shown as it is. */
function readDiff(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
