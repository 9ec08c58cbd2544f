import { OllamaLoaded } from '../../../api/index.js';
import { unixMs } from '../../../base/index.js';
import { jsonResponse } from '../../../endpoint/index.js';
import type { PooledModel } from '../../../models/index.js';
import { toRfc3339 } from '../../../wire/index.js';
import type { EngineRoute, ServerContext } from '../../engine-route.js';
import { nothingIfUnreadable, toDetails, toTaggedName } from '../model-details.js';

/** The longest duration of Go, in milliseconds: Ollama's value of for ever. */
const FOR_EVER_MS = Number(2n ** 63n / 1_000_000n);

/** `GET /api/ps`: the loaded models, the one that stays longest first. */
export const ps: EngineRoute = {
  method: 'GET',
  path: '/api/ps',
  summary: 'Lists the loaded models, as Ollama does.',
  response: OllamaLoaded,
  async handle({ context }) {
    const ready = context.engine.models().filter(({ state }) => state === 'ready');
    const nowMs = unixMs();
    const leftOf = (model: PooledModel): number => expiryMs(model, nowMs);
    const models = await Promise.all(
      ready.toSorted((a, b) => leftOf(b) - leftOf(a)).map((model) => toLoaded(model, leftOf(model), context)),
    );
    return jsonResponse({ models: models.flat() });
  },
};

/** Empty for a model that was removed from the disk. */
async function toLoaded(
  { directory, id, bytes: size }: PooledModel,
  expiresMs: number,
  { library, engine }: ServerContext,
): Promise<OllamaLoaded['models']> {
  const name = library.nameOf(directory) ?? id ?? directory;
  const facts = await library
    .find(name)
    .then((model) => library.describe(model))
    .catch(nothingIfUnreadable);
  if (facts === undefined) return [];
  const tagged = toTaggedName(name);
  const open = engine.peek(directory);
  return [
    {
      name: tagged,
      model: tagged,
      size,
      digest: facts.digest,
      details: toDetails(facts),
      expires_at: toRfc3339(expiresMs),
      // Weights and caches lie in the machine's own memory.
      size_vram: 0,
      context_length: open?.contextLength ?? facts.contextLength ?? 0,
      ...(open !== undefined && { signers: open.signature.state === 'unsigned' ? [] : [...open.signature.signers] }),
    },
  ];
}

/** When a model goes, in milliseconds since 1970; one in use stays so long from now on. */
function expiryMs({ lastUsed, keepAliveMs, runningCalls }: PooledModel, nowMs: number): number {
  return (runningCalls > 0 ? nowMs : lastUsed * 1000) + Math.min(keepAliveMs, FOR_EVER_MS);
}
