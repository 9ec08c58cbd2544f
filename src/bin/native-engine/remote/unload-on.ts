import { holdingClock, sleep, unixMs } from '../../../base/index.js';
import type { UnloadOutput } from '../outputs/server.js';
import { listLoaded } from './loaded-models.js';
import type { ServerClient } from './server-client.js';

/** How often it is looked whether a model has gone, and for how long. */
const LOOK_MS = 100;
const MAX_LOOKS = 20;

/** Has a server let a model go, or all of them, and waits a little for it. Errors: those of the client; the reason of the signal. */
export async function unloadOn(
  client: ServerClient,
  model: string | undefined,
  signal: AbortSignal,
): Promise<UnloadOutput> {
  const namesOf = async (): Promise<string[]> => (await listLoaded(client, unixMs())).map(({ name }) => name);
  const before = await namesOf();
  const asked = model === undefined ? before : [model];
  for (const name of asked) await client.post('/api/generate', { model: name, keep_alive: 0, stream: false });
  let after = await namesOf();
  const isThere = (name: string): boolean => after.includes(name);
  for (let look = 0; look < MAX_LOOKS && goneOf(before, asked, after).length > 0; look++) {
    await sleep(LOOK_MS, holdingClock, signal);
    after = await namesOf();
  }
  if (model === undefined) return before.map((name) => ({ name, state: isThere(name) ? 'ending' : 'unloaded' }));
  const gone = before.filter((name) => !isThere(name));
  const [name = model.replace(/:latest$/, '')] = gone;
  if (gone.length > 0) return [{ name, state: 'unloaded' }];
  return [{ name, state: isThere(name) ? 'ending' : 'not loaded' }];
}

/** Of the models that were asked for, those that are still there. */
function goneOf(before: readonly string[], asked: readonly string[], after: readonly string[]): string[] {
  const wanted = asked.map((name) => name.replace(/:latest$/, ''));
  return before.filter((name) => wanted.includes(name) && after.includes(name));
}

/** The same, a line each. */
export function sayOfUnloaded(models: UnloadOutput): string {
  if (models.length === 0) return 'No model is loaded.\n';
  const words = {
    unloaded: (name: string) => `unloaded ${name}`,
    ending: (name: string) => `${name} goes when its last answer has ended`,
    'not loaded': (name: string) => `${name} is not loaded`,
  } as const;
  return models.map(({ name, state }) => `${words[state](name)}\n`).join('');
}
