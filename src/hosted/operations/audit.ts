import type { AuditEntry } from '../../billing/index.js';
import { Type } from '../../schema/index.js';
import { toAmount } from '../../words/index.js';
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

/** A text that was cut is shown as it is. Amounts are stored in micro-units, and shown as all data has them. */
function readDiff(text: string): unknown {
  try {
    return toAmounts(JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

const MICRO = /^(.+)Micro$/;

/** `amountMicro: '20000000'` becomes `amount: '20.00'`, at any depth. Limits are a text of JSON. */
function toAmounts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toAmounts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => {
      const [, plain] = MICRO.exec(name) ?? [];
      if (plain !== undefined && /^-?\d{1,30}$/.test(String(part))) return [plain, toAmount(BigInt(String(part)))];
      return [name, toAmounts(name === 'limits' && typeof part === 'string' ? readDiff(part) : part)];
    }),
  );
}
