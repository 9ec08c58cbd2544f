import { freemem } from 'node:os';
import { realpath } from 'node:fs/promises';
import { renderFacts } from './describe-shown.js';
import { countText, sizeText } from '../../../cli/index.js';
import { openModelHost, type EngineOptions } from '../../../models/index.js';
import type { StoredModel } from '../../../store/index.js';
import type { EstimateOutput } from '../outputs/server.js';

/** What a model would take in memory here, without a weight being read. Errors: those of opening it and of its config. */
export async function estimateMemory(model: StoredModel, options: EngineOptions): Promise<EstimateOutput> {
  // Of a file the header says enough; it is not converted.
  await using host = await openModelHost(options);
  const plan = await host.estimate(await realpath(model.path));
  return {
    name: model.name,
    weightsBytes: plan.weightsBytes,
    kvCacheBytes: plan.kvBytesPerToken * plan.contextLength,
    totalBytes: plan.bytes,
    contextLength: plan.contextLength,
    declaredContextLength: plan.declaredContextLength,
    budgetBytes: host.memoryBudgetBytes,
    freeBytes: freemem(),
    fits: plan.bytes <= host.memoryBudgetBytes,
  };
}

/** The same for a person. */
export function renderEstimate(found: EstimateOutput): string {
  const { name, contextLength, declaredContextLength, fits, totalBytes, freeBytes } = found;
  const of = contextLength < declaredContextLength ? ` of ${countText(declaredContextLength)}` : '';
  const facts = renderFacts(
    [
      ['weights', sizeText(found.weightsBytes)],
      ['KV cache', `${sizeText(found.kvCacheBytes)} for a context of ${countText(contextLength)}${of} tokens`],
      ['in all', `${sizeText(totalBytes)}, with activations and the caches of sequences beside it`],
      ['budget', `${sizeText(found.budgetBytes)} for all models; ${sizeText(freeBytes)} of the machine are free now`],
    ],
    undefined,
  );
  const tight = fits && totalBytes > freeBytes ? '; other programs would have to give memory back' : '';
  const verdict = fits
    ? `It fits${tight}.`
    : 'It does not fit. Try a smaller quant, --kv-cache q8, a shorter --ctx, or a larger --memory-budget.';
  return `${name}\n${facts}\n${verdict}\n`;
}
