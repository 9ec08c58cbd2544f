// Actions in words: the actions that products share, and the parts of a product's words.
import type { Facts } from './audit-changes.js';
import { budgetsUsed, factWords, type FactWords } from './fact-words.js';

/** Changes that one sentence names; the JSON beside it has all. */
const MAX_NAMED = 5;

/** The fields of a diff. A database may have any: each is checked where it is used. */
export interface AuditDiff extends Facts {
  readonly name?: unknown;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly changes?: unknown;
}

/** An action in words, done and not done. */
export interface Deed {
  readonly done: string;
  readonly toDo: string;
}

/** Actions in words, by their names. `target`: the target of the action, in words. */
export type Deeds = Readonly<Record<string, (target: string, diff: AuditDiff) => Deed>>;

/** An action of one verb and its target. */
export const same =
  (done: string, toDo: string) =>
  (target: string): Deed => ({ done: `${done} ${target}`, toDo: `${toDo} ${target}` });
/** Complete sentences for actions without details. */
export const constantWords = (done: string, toDo: string) => (): Deed => ({ done, toDo });

/** Actions that every product has. */
export const deeds: Deeds = {
  'key.create': (target, { after }) => made(target, Object(after) as Facts),
  'key.update': changed,
  'key.rotate': (target, { grace_s: grace, ended_secrets: ended }) => {
    const older =
      Number(grace) > 0 ? `; the one before works for ${seconds(Number(grace))} more` : endedWords(Number(ended));
    return { done: `gave ${target} a new secret${older}`, toDo: `give ${target} a new secret` };
  },
  'key.reset-budget': (target, { before }) => {
    const used = budgetsUsed(before);
    const words = used.map(({ noun, detail }) => `${noun} of ${target} (${detail})`);
    return {
      done: `reset the ${listed(words)}`,
      toDo: `reset the ${listed(used.map(({ noun }) => noun))} of ${target}`,
    };
  },
  'key.active': same('enabled', 'enable'),
  'key.disabled': same('disabled', 'disable'),
  'key.revoked': same('revoked', 'revoke'),
  'config.reload': (target, diff) => withChanges(`took up ${target}`, `take up ${target}`, diff),
  'audit.export': same('exported', 'export'),
  'audit.remove': constantWords('removed entries that were older than the retention', 'remove old entries'),
  'usage.export': constantWords('exported the usage', 'export the usage'),
  'requests.export': constantWords('exported the request log', 'export the request log'),
};

/** An action without a sentence appears under its name. */
export function otherDeed(action: string): (target: string) => Deed {
  return (target) => ({ done: `did ${action} of ${target}`, toDo: `do ${action} of ${target}` });
}

/** A new object, with its limits. */
export function made(target: string, after: Facts): Deed {
  const given = Object.fromEntries(Object.entries(after).filter(([name, value]) => name !== 'name' && value !== null));
  const words = factWords({}, given).map(
    ({ noun, detail }) => `${noun} ${detail.replace(/^(?:from all |from never )?to /, '')}`,
  );
  const limits = words.length === 0 ? '' : ` with ${listed(words)}`;
  return { done: `made ${target}${limits}`, toDo: `make ${target}${limits}` };
}

/** Fields of one object, or entries of the file. */
export function changed(target: string, diff: AuditDiff): Deed {
  const changes = changesOf(diff);
  const [only] = changes;
  const own = changes.length === 1 && only !== undefined && !target.endsWith('.yaml') ? only : diff;
  if (isFacts(own.before) && isFacts(own.after)) return phrases(target, factWords(own.before, own.after));
  return withChanges(`changed ${target}`, `change ${target}`, diff);
}

function phrases(target: string, words: readonly FactWords[]): Deed {
  if (words.length === 0) return { done: `changed nothing of ${target}`, toDo: `change ${target}` };
  const write = (verb: 'done' | 'toDo'): string =>
    listed(
      words.map((word, i) =>
        i === 0
          ? `${word[verb]} the ${word.noun} of ${target} ${word.detail}`
          : `${word[verb]} its ${word.noun} ${word.detail}`,
      ),
    );
  return { done: write('done'), toDo: write('toDo') };
}

/** `words`, then after a colon the changes of the file except those of `without`. */
export function withChanges(done: string, toDo: string, diff: AuditDiff, without?: string): Deed {
  const named = changesOf(diff)
    .filter((change) => nounOf(change) !== without)
    .map(changeWords);
  const more = Number(diff['left_out'] ?? 0) + Math.max(0, named.length - MAX_NAMED);
  const all = [...named.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])];
  const behind = all.length === 0 ? '' : `: ${all.join('; ')}`;
  return { done: `${done}${behind}`, toDo: `${toDo}${behind}` };
}

interface Change {
  readonly of: string;
  readonly id?: string;
  readonly name?: string;
  readonly before: Facts | null;
  readonly after: Facts | null;
}

function changesOf({ changes }: AuditDiff): readonly Change[] {
  return Array.isArray(changes) ? (changes as readonly Change[]) : [];
}

function changeWords(change: Change): string {
  const noun = nounOf(change);
  if (change.before === null) return `${noun} added`;
  if (change.after === null) return `${noun} removed`;
  const words = factWords(change.before, change.after).map(({ noun: field, detail }) =>
    field === 'value' ? detail : `${field} ${detail}`,
  );
  return `${noun} ${words.join(', ')}`;
}

const KINDS: Readonly<Record<string, string>> = {
  runtimes: 'runtime',
  models: 'model',
  virtual_keys: 'key',
  prices: 'price',
  providers: 'provider',
};

function nounOf({ of, id, name }: Change): string {
  const kind = KINDS[of];
  return kind === undefined ? of : `${kind} ${name ?? id ?? ''}`.trim();
}

function endedWords(ended: number): string {
  return ended > 1 ? `; the ${ended} older ones ended at once` : '; the one before ended at once';
}

function seconds(count: number): string {
  const [size, unit] =
    count % 86_400 === 0
      ? [86_400, 'day']
      : count % 3_600 === 0
        ? [3_600, 'hour']
        : count % 60 === 0
          ? [60, 'minute']
          : [1, 'second'];
  return `${count / size} ${unit}${count === size ? '' : 's'}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null;
}
