import type { AuditEntry } from './audit-entry.js';
import { deeds, otherDeed, type Deeds, type AuditDiff } from './deeds.js';

/** The words of one product for its entries. */
export interface AuditWords {
  /** The program itself, such as `The gateway`. */
  readonly self: string;
  /** Targets that exist once, such as `config`. */
  readonly targets: Readonly<Record<string, string>>;
  /** Actions that this product has alone. */
  readonly deeds: Deeds;
}

/** The parts of an entry that its sentence has. */
export type SaidEntry = Pick<AuditEntry, 'actor' | 'action' | 'target' | 'outcome' | 'reason' | 'diff'>;

/**
 * An entry of the audit log as a sentence: the actor, the action, the target, the values and the outcome. Terms that
 * `words` lacks appear unchanged.
 */
export function entrySentence(entry: SaidEntry, words: AuditWords): string {
  const { action, outcome, reason } = entry;
  const diff = parseDiff(entry.diff);
  const who = actorWords(entry.actor, words, diff);
  const target = targetWords(entry.target, diff, words);
  const { done, toDo } = (words.deeds[action] ?? deeds[action] ?? otherDeed(action))(target, diff);
  if (outcome === 'ok') return `${who} ${done}.`;
  const ends: Readonly<Record<string, string>> = {
    refused: 'and was refused',
    failed: 'and it failed',
    unknown: 'and the result is not known',
  };
  return `${who} tried to ${toDo}, ${ends[outcome] ?? `and it ended as ${outcome}`}${reason === '' ? '' : `: ${reason}`}.`;
}

/** `kind:id@address` as a person reads it. */
function actorWords(actor: string, { self }: AuditWords, { by_name: name }: AuditDiff): string {
  const [, kind = actor, id, address] = /^([^:@]*)(?::([^@]*))?(?:@(.*))?$/.exec(actor) ?? [];
  if (kind === 'system') return self;
  if (kind === 'key') return `Key ${typeof name === 'string' ? name : (id ?? '')}`.trim();
  if (kind === 'operator') return 'An operator (by the operator page)';
  if (kind === 'cli')
    return id === undefined ? 'An operator at the command line' : `Operator ${id} at the command line`;
  if (kind !== 'admin') return actor;
  const [own, session] = id === undefined || id.includes('/') ? (id ?? '/').split('/') : ['', id];
  const by =
    session === 'token' ? 'by the admin token' : session === '' || session === undefined ? '' : `session ${session}`;
  const from = address === undefined ? '' : `from ${address}`;
  const more = [by, from].filter(Boolean).join(', ');
  return `${own ? `Operator ${own}` : 'An operator'}${more === '' ? '' : ` (${more})`}`;
}

/** `kind:id` by the name that readers know. */
function targetWords(
  target: string,
  { name, before, account_name: account }: AuditDiff,
  { targets }: AuditWords,
): string {
  const known = targets[target];
  if (known !== undefined) return known;
  const [kind = '', ...rest] = target.split(':');
  const old: unknown = typeof before === 'object' && before !== null ? Reflect.get(before, 'name') : undefined;
  const shown = typeof old === 'string' ? old : typeof name === 'string' ? name : rest.join(':');
  const owner = typeof account === 'string' ? ` of account ${account}` : '';
  return `${kind} ${shown}${owner}`.trim();
}

function parseDiff(text: string): AuditDiff {
  try {
    return Object(JSON.parse(text)) as AuditDiff;
  } catch {
    return {};
  }
}
