import { createHash } from 'node:crypto';
import { cleanText } from '../../database/index.js';
import { MAX_AUDIT_DIFF, MAX_AUDIT_TEXT } from '../limits.js';

/** The actor of a change: an administrator, the operator at the command line, the program itself. */
export interface AuditActor {
  /** `admin`, `cli`, `system`, or another word of the program. */
  readonly kind: string;
  readonly id?: string;
  /** Where the request came from. */
  readonly address?: string;
}

/** An event for the audit log. Contains no prompt and no key: text that looks like a key is shortened to its prefix. */
export interface AuditEvent {
  readonly actor: AuditActor;
  /** Such as `key.create`. */
  readonly action: string;
  /** Such as `key:vk_…`. */
  readonly target: string;
  /** `unknown`: the process ended before the result was known. */
  readonly outcome: 'ok' | 'refused' | 'failed' | 'unknown';
  readonly reason?: string;
  /**
   * The change: `name` of the target for readers. `before` and `after` have the fields that differ; `changes` is a list
   * of these for entries of a file. Further facts may follow. No secret.
   */
  readonly diff?: Readonly<Record<string, unknown>>;
}

/** An entry as the log has it. */
export interface AuditEntry {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** `kind`, `kind:id` or `kind:id@address`. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly reason: string;
  /** JSON. */
  readonly diff: string;
  /** The hash of the entry before it. */
  readonly prevHash: string;
  /** SHA-256 over all of the others. */
  readonly hash: string;
}

/** The hash before the first entry. */
export const AUDIT_GENESIS_HASH = '0'.repeat(64);

const SECRET = /((?:gw[ka]|hak)_[0-9A-Za-z]{6})_[0-9A-Za-z_]+/g;

/** An event as an entry that follows `prevHash`. */
export function toChainedEntry(event: AuditEvent, seq: number, atMs: number, prevHash: string): AuditEntry {
  const { actor, action, target, outcome, reason = '', diff = {} } = event;
  const unsealed = {
    seq,
    atMs,
    actor: toText([[actor.kind, actor.id].filter(Boolean).join(':'), actor.address].filter(Boolean).join('@')),
    action: toText(action),
    target: toText(target),
    outcome,
    reason: toText(reason),
    diff: toDiff(diff),
    prevHash,
  };
  return { ...unsealed, hash: hashOfEntry(unsealed) };
}

/** The hash that an entry must have. */
export function hashOfEntry(entry: Omit<AuditEntry, 'hash'>): string {
  const { seq, atMs, actor, action, target, outcome, reason, diff, prevHash } = entry;
  const text = JSON.stringify([seq, atMs, actor, action, target, outcome, reason, diff, prevHash]);
  return createHash('sha256').update(text).digest('hex');
}

/** Shortens text that looks like a key to its prefix. */
export function hideSecrets(text: string): string {
  return text.replace(SECRET, '$1_…');
}

function toText(text: string): string {
  return cleanText(hideSecrets(text), MAX_AUDIT_TEXT);
}

function toDiff(diff: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(diff, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  const shown = hideSecrets(text).toWellFormed();
  return shown.length <= MAX_AUDIT_DIFF ? shown : JSON.stringify({ left_out: `${shown.length} characters` });
}
