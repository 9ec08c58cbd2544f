import { isAppError, systemClock } from '../../../../base/index.js';
import { createEngine, type Model } from '../../../../index.js';
import type { Check, CheckContext, CheckGroup } from '../check.js';

const PROMPT_TOKENS = 512;
const GEN_TOKENS = 128;
/** The best of so many runs: the first also compiles. */
const RUNS = 3;

/** The kernels that were chosen here, and how fast the demo model runs on them. */
export const kernels: CheckGroup = {
  section: 'Kernels',
  async look(context) {
    try {
      return await tryEngine(context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!isAppError(error)) throw error;
      return [{ name: 'engine', state: 'problem', text: error.message, advice: `code ${error.code}` }];
    }
  },
};

async function tryEngine({ directories, isQuick, signal }: CheckContext): Promise<Check[]> {
  await using engine = await createEngine({ ...directories, speculation: false });
  await using model = await engine.load('demo', { signal });
  const chosen: Check = { name: 'kernels', state: 'ok', text: `${model.kernel}, ${model.threads} compute threads` };
  const notes = model.kernelNotes.map((text): Check => ({ name: 'note', state: 'note', text }));
  if (isQuick) return [chosen, ...notes];
  return [chosen, ...notes, { name: 'speed', state: 'ok', text: await measure(model, signal) }];
}

async function measure(model: Model, signal: AbortSignal): Promise<string> {
  let [prefill, decode] = [0, 0];
  for (let run = 0; run < RUNS; run++) {
    // Another prompt each time, so that no cached prefix helps.
    const promptTokenIds = Array.from({ length: PROMPT_TOKENS }, (_, i) => (i * 7 + run * 31) % model.vocabSize);
    const request = { promptTokenIds, maxTokens: GEN_TOKENS, temperature: 0, ignoreStop: true };
    const startMs = systemClock.nowMs();
    let [firstMs, count] = [startMs, 0];
    for await (const _ of model.generate(request, { signal })) if (count++ === 0) firstMs = systemClock.nowMs();
    prefill = Math.max(prefill, (PROMPT_TOKENS * 1000) / (firstMs - startMs));
    decode = Math.max(decode, ((count - 1) * 1000) / (systemClock.nowMs() - firstMs));
  }
  return `the demo model (2.7M) reads ${Math.round(prefill)} tokens/s and writes ${Math.round(decode)}; bench measures others`;
}
