import { wrap } from '../../../cli/index.js';
import { createEngine } from '../../../index.js';
import type { DoctorOutput } from '../outputs/machine.js';
import { renderTree } from '../remote/render-tree.js';
import { readServerAddress } from '../remote/server-address.js';
import { createServerClient } from '../remote/server-client.js';
import type { CheckContext } from './check.js';
import { checks } from './checks/index.js';

/** Runs all checks, one group after the other; `tell` is called with each check that begins. Errors: the reason of the signal. */
export async function examine(
  context: CheckContext,
  tell: (section: string, done: number) => void,
): Promise<DoctorOutput> {
  const found: DoctorOutput['checks'] = [];
  const groups = Object.values(checks);
  for (const [i, group] of groups.entries()) {
    context.signal.throwIfAborted();
    tell(group.section, i / groups.length);
    for (const { name, state, text, advice = null } of await group.look(context)) {
      found.push({ section: group.section, name, state, text, advice });
    }
  }
  const problems = found.filter(({ state }) => state === 'problem').length;
  return { problems, checks: found, tree: await readTree(context) };
}

/** The live tree of a server that runs, else of an engine that is made for it. */
async function readTree({ env, signal, directories }: CheckContext): Promise<unknown> {
  const health = await createServerClient(addressOf(env), signal)
    .get('/health')
    .catch(() => undefined);
  signal.throwIfAborted();
  const tree: unknown = Object(health)['tree'];
  if (tree !== undefined) return tree;
  try {
    await using engine = await createEngine(directories);
    await using _ = await engine.load('demo', { signal });
    return engine.tree();
  } catch {
    // The check of the kernels reports the reason.
    signal.throwIfAborted();
    return null;
  }
}

function addressOf(env: CheckContext['env']): URL {
  try {
    return readServerAddress(undefined, env);
  } catch {
    return readServerAddress('127.0.0.1', {});
  }
}

const signs = { ok: ' ', note: '!', problem: 'x' } as const;
/** Columns of the sign, the name and what is between them. */
const TEXT_COLUMN = 19;
const MIN_TEXT = 30;

/** The same for a person. `width`: columns of the window, if there is one. */
export function renderDoctor({ checks: found, problems, tree }: DoctorOutput, width: number | undefined): string {
  const room = width === undefined ? Infinity : Math.max(MIN_TEXT, width - TEXT_COLUMN);
  const lay = (text: string): string =>
    (room === Infinity ? [text] : wrap(text, room)).join(`\n${' '.repeat(TEXT_COLUMN)}`);
  const sections = [...new Set(found.map(({ section }) => section))].map((section) => {
    const lines = found
      .filter((check) => check.section === section)
      .map(({ name, state, text, advice }) => {
        const line = `${signs[state]} ${name.padEnd(TEXT_COLUMN - 3)} ${lay(text)}\n`;
        return advice === null ? line : `${line}${' '.repeat(TEXT_COLUMN)}${lay(`-> ${advice}`)}\n`;
      });
    return `${section}\n${lines.join('')}`;
  });
  const notes = found.filter(({ state }) => state === 'note').length;
  const verdict =
    problems === 0
      ? 'No problem was found'
      : `${problems} problem${problems === 1 ? ' was' : 's were'} found, marked x`;
  const also = notes === 0 ? '' : `; ${notes} note${notes === 1 ? ' is' : 's are'} marked !`;
  const shown = tree === null ? '' : `\nLive tree\n${renderTree(tree)}`;
  return `${sections.join('\n')}${shown}\n${verdict}${also}.\n`;
}
