import { createRequestId } from '../../src/billing/index.js';
import type { Payer, StartedHosted } from './serving/start-hosted.js';

/** Settles a request of an account without an upstream. */
export async function settleOne(
  { billing }: StartedHosted,
  { secret }: Payer,
  provider: string,
  model: string,
): Promise<void> {
  const caller = await billing.keys.authenticate(secret);
  const price = await billing.prices.current(provider, model, Date.now());
  if (price === undefined) throw new Error('the model has a price');
  const requestId = createRequestId(Date.now());
  const asked = {
    requestId,
    caller,
    provider,
    model,
    price,
    promptTokensBound: 10,
    images: 0,
    audios: 0,
    isWhole: true,
  };
  const hold = await billing.requests.admit({ ...asked, outputTokensBound: 10 });
  const tokens = { promptTokens: 3, completionTokens: 4, cachedTokens: 0, reasoningTokens: 0, isEstimated: false };
  await hold.settle({ ...tokens, began: true, status: 200, durationMs: 900, firstByteMs: 100, end: 'whole' });
  await billing.tick();
}
