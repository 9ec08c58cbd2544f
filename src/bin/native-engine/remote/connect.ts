import type { Terminal } from '../../../cli/index.js';
import { readServerAddress } from './server-address.js';
import { createServerClient, type ServerClient } from './server-client.js';

/** A client of the server that `--host`, or the environment, names. Errors: `invalid_option`. */
export function connectRemote(
  host: string | undefined,
  { env }: Pick<Terminal, 'env'>,
  signal: AbortSignal,
): ServerClient {
  return createServerClient(readServerAddress(host, env), signal);
}
