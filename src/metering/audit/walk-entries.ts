// Walks over all entries of a log, in any database: a copy with its checksum, and the check of the chain.
import { createHash } from 'node:crypto';
import { hashOfEntry, type AuditEntry } from './audit-entry.js';
import { auditTable, type ShownAuditEntry } from './shown-entry.js';

/** Entries with a greater `seq` than `after`, in order; empty at the end. */
export type ReadEntries<T = AuditEntry> = (after: number) => readonly T[] | Promise<readonly T[]>;

/** Filters of entries. Texts are compared from their beginning on; times are RFC 3339 in UTC. */
export interface WantedEntries {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly outcome?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Not within. */
  readonly toMs?: number | undefined;
}

/** Entries that are read at once: some milliseconds, between which others are served. */
export const AUDIT_BATCH = 500;

/** The result of `verify`. */
export interface AuditCheck {
  readonly entries: number;
  readonly ok: boolean;
  /** The `seq` of the first entry that does not follow from the one before it. */
  readonly firstBad?: number;
}

/** The start of a chain, and its newest entry in its writer's memory. */
export interface ChainEnds {
  /** The hash before the first entry. */
  readonly anchor: string;
  /** The `seq` before that of the first entry; undefined: any. */
  readonly before?: number;
  /** The last `seq`. */
  readonly last: number;
  /** The hash of that entry; undefined: it is not known beside the log. */
  readonly lastHash?: string;
}

/** Walks the whole chain, in turns of the event loop. Errors: those of `read`. */
export async function verifyChain(
  read: ReadEntries,
  { anchor, before, last, lastHash }: ChainEnds,
): Promise<AuditCheck> {
  let prevHash = anchor;
  let entries = 0;
  let seq = before ?? 0;
  for await (const batch of walk(read, seq)) {
    for (const entry of batch) {
      const isNext = (entries === 0 && before === undefined) || entry.seq === seq + 1;
      if (!isNext || entry.prevHash !== prevHash || entry.hash !== hashOfEntry(entry))
        return { entries, ok: false, firstBad: entry.seq };
      ({ hash: prevHash, seq } = entry);
      entries++;
    }
  }
  // The newest entry must be there: nothing was cut off at the end.
  const isWhole = seq === last && (lastHash ?? prevHash) === prevHash;
  return isWhole ? { entries, ok: true } : { entries, ok: false, firstBad: seq + 1 };
}

/**
 * Entries as lines of JSON, and a last line with their number and the SHA-256 of all lines before it. Lines are whole.
 * Errors: those of `read`.
 */
export async function* exportEntries(
  read: ReadEntries<ShownAuditEntry>,
  wanted: WantedEntries,
): AsyncGenerator<string, void> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const batch of walk(read, 0)) {
    const lines = batch.filter((entry) => isWanted(entry, wanted)).map((entry) => `${JSON.stringify(entry)}\n`);
    const text = lines.join('');
    hash.update(text);
    count += lines.length;
    if (text !== '') yield text;
  }
  yield `${JSON.stringify({ entries: count, sha256: hash.digest('hex') })}\n`;
}

/** Entries as a table of CSV. Errors: those of `read`. */
export async function* exportTable(
  read: ReadEntries<ShownAuditEntry>,
  wanted: WantedEntries,
): AsyncGenerator<string, void> {
  yield auditTable.header;
  for await (const batch of walk(read, 0)) {
    const text = batch
      .filter((entry) => isWanted(entry, wanted))
      .map(auditTable.line)
      .join('');
    if (text !== '') yield text;
  }
}

function isWanted(entry: ShownAuditEntry, { outcome, fromMs = -Infinity, toMs = Infinity, ...texts }: WantedEntries) {
  const atMs = Date.parse(entry.time);
  const begins = (['actor', 'action', 'target'] as const).every((name) => entry[name].startsWith(texts[name] ?? ''));
  return begins && atMs >= fromMs && atMs < toMs && (outcome === undefined || entry.outcome === outcome);
}

async function* walk<T extends { readonly seq: number }>(
  read: ReadEntries<T>,
  from: number,
): AsyncGenerator<readonly T[], void> {
  for (let after = from; ;) {
    const batch = await read(after);
    const last = batch.at(-1);
    if (last === undefined) return;
    yield batch;
    after = last.seq;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
