import { AppError, every, systemClock, unixMs } from '../../../base/index.js';
import { countText, openStatusLine, sizeText, type Terminal } from '../../../cli/index.js';
import { readKeepAlive } from '../../../wire/index.js';
import type { TrustOptions } from '../../signatures/trust-options.js';
import type { LoadOutput } from '../outputs/server.js';
import { listLoaded, untilText } from './loaded-models.js';
import type { ServerClient } from './server-client.js';

/** How often the seconds of a load are counted on the screen. */
const TELL_MS = 200;

/** What is to be loaded, and whose signature it must have. */
export interface LoadRequest {
  readonly model: string;
  readonly keepAlive: string | undefined;
  readonly trust: Pick<TrustOptions, 'requireSigned' | 'trustedKeys'>;
}

/**
 * Has a server load a model, and tells what it takes there. Errors: `invalid_value`, those of the client, `server_refused`
 * where the model is gone again; `signature_missing` and `signature_untrusted`, and then the model is let go.
 */
export async function loadOn(
  client: ServerClient,
  { model, keepAlive, trust }: LoadRequest,
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
  if (found !== undefined) {
    const refusal = whyNotTrusted(found, client.url, trust);
    if (refusal === undefined) return found;
    // A model that was loaded before belongs to another client.
    if (!before.has(found.name)) await client.post('/api/generate', { model, stream: false, keep_alive: 0 });
    throw refusal;
  }
  throw new AppError('server_refused', `${client.url} loaded ${model}, and let it go at once`, { url: client.url });
}

/** The error for a loaded model that, as the server says, no trusted key signed; undefined where one did, or none is needed. */
function whyNotTrusted(
  { name, signers }: LoadOutput,
  url: string,
  { requireSigned, trustedKeys }: LoadRequest['trust'],
): AppError | undefined {
  if (!requireSigned || signers?.some((key) => trustedKeys.includes(key)) === true) return undefined;
  const isSigned = signers !== null && signers.length > 0;
  const what = isSigned
    ? `is signed by ${signers.join(', ')}, and by no trusted key`
    : signers === null
      ? 'may be unsigned: the server does not say who signed it'
      : 'has no signature';
  const message = `the model ${name} that ${url} loaded ${what}; it is let go, unless it was loaded before. Start the server with --require-signed, so that it refuses such models itself.`;
  return new AppError(isSigned ? 'signature_untrusted' : 'signature_missing', message, { model: name, url });
}

/** The same in two lines. */
export function sayOfLoaded({ name, sizeBytes, contextLength, expiresAt }: LoadOutput): string {
  const facts = `${sizeText(sizeBytes)} of memory, context ${countText(contextLength)} tokens`;
  return `loaded ${name}: ${facts}\nunloads ${untilText(expiresAt, unixMs())}\n`;
}
