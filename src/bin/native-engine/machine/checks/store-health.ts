import { readdir } from 'node:fs/promises';
import { openUserStore, sayOfSwept } from '../../models/open-user-store.js';
import { listNamed } from '../../../../models/index.js';
import { describeListed } from '../../models/describe-listed.js';
import { isAppError } from '../../../../base/index.js';
import { sizeText } from '../../../../cli/index.js';
import type { Check, CheckGroup } from '../check.js';

/** Whether every model of the models directory can be read, and what is left half-made there. */
export const storeHealth: CheckGroup = {
  section: 'Models',
  async look({ directories }) {
    try {
      const store = openUserStore(directories);
      const swept = (await store.sweep()).map((each): Check => ({
        name: 'swept',
        state: 'note',
        text: sayOfSwept(each),
      }));
      const checks = await describeAll(store.directory);
      return [...swept, ...checks, ...(await leftovers(store.directory))];
    } catch (error) {
      if (!isAppError(error)) throw error;
      return [{ name: 'models', state: 'problem', text: error.message }];
    }
  },
};

async function describeAll(directory: string): Promise<Check[]> {
  const problems: Check[] = [];
  let [count, bytes] = [0, 0];
  for (const entry of await listNamed(directory)) {
    const { entry: listed, problem } = await describeListed(entry);
    if (problem === undefined) [count, bytes] = [count + 1, bytes + listed.sizeBytes];
    else {
      const advice = `remove it (native-engine rm ${listed.name}), or put it there again`;
      problems.push({ name: listed.name, state: 'problem', text: problem.message, advice });
    }
  }
  return [{ name: 'models', state: 'ok', text: `${count} can be read, ${sizeText(bytes)}` }, ...problems];
}

/** What a conversion of the user left, or is writing: it has no lock that would tell. */
async function leftovers(directory: string): Promise<Check[]> {
  const names = await readdir(directory).catch(() => []);
  return names
    .filter((name) => /\.partial-[0-9a-f]{12}$/.test(name))
    .map((name) => ({
      name: 'half-made',
      state: 'note',
      text: `${name} is being written, or was left by a conversion that was killed`,
      advice: 'remove it if no conversion runs',
    }));
}
