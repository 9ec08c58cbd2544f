import { type LedgerGroup } from '../../billing/index.js';
import { Compile, Type } from '../../schema/index.js';
import { toTime } from '../operations/shown.js';
import { toAmount } from '../../words/index.js';

/** The fields of an exported line that are read again. */
const ExportedGroup = Type.Object({
  id: Type.String({ minLength: 1 }),
  created_at: Type.String({ minLength: 1 }),
  kind: Type.String(),
  entries: Type.Array(Type.Unknown()),
  hash: Type.String({ minLength: 1 }),
});
export type ExportedGroup = Type.Static<typeof ExportedGroup>;

const validator = Compile(ExportedGroup);

/** A group as a line of an export, with its end. */
export function writeGroup({ id, createdAtMs, kind, reference, entries, hash }: LedgerGroup): string {
  const moved = entries.map(({ account, currency, amountMicro }) => {
    return { account, currency, amount: toAmount(amountMicro) };
  });
  return `${JSON.stringify({ id, created_at: toTime(createdAtMs), kind, reference, entries: moved, hash })}\n`;
}

/** Undefined: the line does not come from an export. */
export function readGroup(line: string): ExportedGroup | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return validator.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
