import { AppError } from '../../../base/index.js';
import type { EngineRoute } from '../../engine-route.js';

const PUT = 'put the GGUF file into the models directory (--models-dir)';

/** The parts of Ollama's API that this server lacks: each refuses by name. */
export const hub = {
  push: refusing('POST', '/api/push', 'push models', 'copy the file from the models directory'),
  create: refusing('POST', '/api/create', 'create models', `${PUT}, and send system and options with each request`),
  findBlob: refusing('HEAD', '/api/blobs/{digest}', 'keep blobs', PUT),
  addBlob: refusing('POST', '/api/blobs/{digest}', 'take blobs', PUT),
} as const satisfies Record<string, EngineRoute>;

/** Refuses before a byte of the body is read: a blob has gigabytes. */
function refusing(method: string, path: string, what: string, instead: string): EngineRoute {
  const refuse = (): never => {
    throw new AppError('hub_missing', `this server cannot ${what} yet; ${instead}`);
  };
  return {
    method,
    path,
    summary: `Refused: the server cannot ${what} yet.`,
    before: refuse,
    handle: async () => refuse(),
  };
}
