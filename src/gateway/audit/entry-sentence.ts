import type { AuditEntry, Facts } from '../../metering/index.js';
import { budgetsUsed, factWords, type FactWords } from './fact-words.js';

/** Changes that one sentence names; the JSON beside it has all. */
const MAX_NAMED = 5;

/** What a diff may have. Entries of earlier versions have other fields. */
interface Diff extends Facts {
  readonly name?: unknown;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly changes?: unknown;
}

/** What was done, as it reads when it was and when it was not. */
interface Deed {
  readonly done: string;
  readonly toDo: string;
}

/** An entry of the audit log as a sentence: who did what to what, from which value to which, and how it ended. */
export function entrySentence(
  entry: Pick<AuditEntry, 'actor' | 'action' | 'target' | 'outcome' | 'reason' | 'diff'>,
): string {
  const { action, outcome, reason } = entry;
  const diff = parseDiff(entry.diff);
  const who = actorWords(entry.actor);
  const target = targetWords(entry.target, diff);
  const { done, toDo } = (DEEDS[action] ?? otherDeed(action))(target, diff);
  if (outcome === 'ok') return `${who} ${done}.`;
  const ends: Readonly<Record<string, string>> = {
    refused: 'and was refused',
    failed: 'and it failed',
    unknown: 'and the result is not known',
  };
  return `${who} tried to ${toDo}, ${ends[outcome] ?? `and it ended as ${outcome}`}${reason === '' ? '' : `: ${reason}`}.`;
}

/** `kind:id@address` as a person reads it. */
function actorWords(actor: string): string {
  const [, kind = actor, id, address] = /^([^:@]*)(?::([^@]*))?(?:@(.*))?$/.exec(actor) ?? [];
  if (kind === 'system') return 'The gateway';
  if (kind === 'cli')
    return id === undefined ? 'An operator at the command line' : `Operator ${id} at the command line`;
  if (kind !== 'admin') return actor;
  const [name, session] = id === undefined || id.includes('/') ? (id ?? '/').split('/') : ['', id];
  const by =
    session === 'token' ? 'by the admin token' : session === '' || session === undefined ? '' : `session ${session}`;
  const from = address === undefined ? '' : `from ${address}`;
  const more = [by, from].filter(Boolean).join(', ');
  return `${name ? `Operator ${name}` : 'An operator'}${more === '' ? '' : ` (${more})`}`;
}

const TARGETS: Readonly<Record<string, string>> = {
  config: 'gateway.yaml',
  'admin-token': 'the admin token',
  gateway: 'the gateway',
  audit: 'the audit log',
  session: 'the admin page',
};

/** `kind:id` by the name that people know it by. */
function targetWords(target: string, { name, before }: Diff): string {
  const known = TARGETS[target];
  if (known !== undefined) return known;
  const [kind = '', ...rest] = target.split(':');
  const old: unknown = typeof before === 'object' && before !== null ? Reflect.get(before, 'name') : undefined;
  const shown = typeof old === 'string' ? old : typeof name === 'string' ? name : rest.join(':');
  return `${kind} ${shown}`.trim();
}

const same =
  (done: string, toDo: string) =>
  (target: string): Deed => ({ done: `${done} ${target}`, toDo: `${toDo} ${target}` });
const fixed = (done: string, toDo: string) => (): Deed => ({ done, toDo });

/** What each action is in words. An action that is not here is named as it is. */
const DEEDS: Readonly<Record<string, (target: string, diff: Diff) => Deed>> = {
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
  'admin-token.set': (target, { before }) =>
    isFacts(before) && before['issued'] === false
      ? { done: `set ${target}`, toDo: `set ${target}` }
      : { done: `replaced ${target}`, toDo: `replace ${target}` },
  'admin-token.remove': fixed('found the admin token gone: every session ended', 'remove the admin token'),
  'session.create': same('signed in to', 'sign in to'),
  'session.end': (target) => ({ done: `ended ${target}`, toDo: `end ${target}` }),
  'config.reload': (target, diff) => withChanges(`took up ${target}`, `take up ${target}`, diff),
  'config.look': same('had the gateway read', 'have the gateway read'),
  'config.write': changed,
  'config.edit': changed,
  'config.init': changed,
  'config.restore': (target, diff) =>
    withChanges(
      `restored ${target} of ${String(diff['version'])}`,
      `restore ${target} of ${String(diff['version'])}`,
      diff,
    ),
  'runtime.create': (target, diff) => withChanges(`added ${target}`, `add ${target}`, diff, target),
  'runtime.update': changed,
  'runtime.remove': (target, diff) => withChanges(`removed ${target}`, `remove ${target}`, diff, target),
  'runtime.approve': (target, diff) => withChanges(`approved ${target}`, `approve ${target}`, diff),
  'runtime.import': (_, diff) => withChanges('imported runtimes of a scan', 'import runtimes of a scan', diff),
  'model.create': (target, diff) => withChanges(`added ${target}`, `add ${target}`, diff, target),
  'model.update': changed,
  'model.remove': (target, diff) => withChanges(`removed ${target}`, `remove ${target}`, diff, target),
  'model.try': same('sent a test message to', 'send a test message to'),
  'scan.start': same('began the', 'begin the'),
  'scan.cancel': same('ended the', 'end the'),
  'gateway.drain': (target, { stop }) =>
    stop === true
      ? { done: `stopped ${target}`, toDo: `stop ${target}` }
      : { done: `drained ${target}: it takes no more requests`, toDo: `drain ${target}` },
  'audit.export': same('exported', 'export'),
  'audit.remove': fixed('removed entries that were older than the retention', 'remove old entries'),
  'usage.export': fixed('exported the usage', 'export the usage'),
  'requests.export': fixed('exported the request log', 'export the request log'),
  'backup.create': fixed('made a backup of the databases', 'make a backup of the databases'),
};

function otherDeed(action: string): (target: string) => Deed {
  return (target) => ({ done: `did ${action} of ${target}`, toDo: `do ${action} of ${target}` });
}

function made(target: string, after: Facts): Deed {
  const given = Object.fromEntries(Object.entries(after).filter(([name, value]) => name !== 'name' && value !== null));
  const words = factWords({}, given).map(
    ({ noun, detail }) => `${noun} ${detail.replace(/^(?:from all |from never )?to /, '')}`,
  );
  const limits = words.length === 0 ? '' : ` with ${listed(words)}`;
  return { done: `made ${target}${limits}`, toDo: `make ${target}${limits}` };
}

/** Fields of one thing, or entries of the file. */
function changed(target: string, diff: Diff): Deed {
  const changes = changesOf(diff);
  const [only] = changes;
  const own = changes.length === 1 && only !== undefined && target !== 'gateway.yaml' ? only : diff;
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

/** `words` and the changes of the file behind a colon; those of `without` are said already. */
function withChanges(done: string, toDo: string, diff: Diff, without?: string): Deed {
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

function changesOf({ changes }: Diff): readonly Change[] {
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

const KINDS: Readonly<Record<string, string>> = { runtimes: 'runtime', models: 'model', virtual_keys: 'key' };

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

function parseDiff(text: string): Diff {
  try {
    return Object(JSON.parse(text)) as Diff;
  } catch {
    return {};
  }
}
