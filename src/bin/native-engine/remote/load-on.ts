import { AppError, every, systemClock, unixMs } from '../../../base/index.js';
import { countText, openStatusLine, sizeText, type Terminal } from '../../../cli/index.js';
import { readKeepAlive } from '../../../wire/index.js';
import type { LoadOutput } from '../outputs/server.js';
import { listLoaded, untilText } from './loaded-models.js';
import type { ServerClient } from './server-client.js';

/** How often the seconds of a load are counted on the screen. */
const TELL_MS = 200;

/**
 * Has a server load a model, and tells what it takes there. Errors: `invalid_value`, those of the client, `server_refused`
 * where the model is gone again.
 */
export async function loadOn(
  client: ServerClient,
  { model, keepAlive }: { readonly model: string; readonly keepAlive: string | undefined },
  terminal: Terminal,
): Promise<LoadOutput> {
  // Said here, so that a mistake costs no load.
  readKeepAlive(keepAlive);
  const before = new Set((await listLoaded(client, unixMs())).map(({ name }) => name));
  const startMs = systemClock.nowMs();
  using line = openStatusLine(terminal);
  const tell = (): void => {
    const seconds = Math.floor((systemClock.nowMs() - startMs) / 1000);
    line.show(0, () => `${client.url} loads ${model}: ${seconds} s`);
  };
  tell();
  const stop = every(TELL_MS, systemClock, tell);
  try {
    await client.post('/api/generate', {
      model,
      stream: false,
      ...(keepAlive !== undefined && { keep_alive: keepAlive }),
    });
  } finally {
    stop();
  }
  const loaded = await listLoaded(client, unixMs());
  const wanted = model.replace(/:latest$/, '');
  // By its name, or by being new: an id may be spelt in several ways.
  const found = loaded.find(({ name }) => name === wanted) ?? loaded.find(({ name }) => !before.has(name)) ?? loaded[0];
  if (found !== undefined) return found;
  throw new AppError('server_refused', `${client.url} loaded ${model}, and let it go at once`, { url: client.url });
}

/** The same in two lines. */
export function sayOfLoaded({ name, sizeBytes, contextLength, expiresAt }: LoadOutput): string {
  const facts = `${sizeText(sizeBytes)} of memory, context ${countText(contextLength)} tokens`;
  return `loaded ${name}: ${facts}\nunloads ${untilText(expiresAt, unixMs())}\n`;
}
