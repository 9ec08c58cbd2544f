// The fields of config.json about experts, which families name each in their own way.

import type { ConfigReader } from './config-json.js';
import type { ExpertsConfig } from './config.js';

// Bounds of plausible models: published ones have 512 experts at most.
const MAX_EXPERTS = 4096;
const MAX_WIDTH = 1 << 18;

/** Sizes of a model's experts. `fields`: the names of the number of experts and of the width of one. Errors: `config_invalid`. */
export function expertSizes(
  config: ConfigReader,
  fields: { readonly count: string; readonly width: string },
): Pick<ExpertsConfig, 'count' | 'chosen' | 'width'> {
  const count = config.integer(fields.count, { min: 1, max: MAX_EXPERTS });
  const chosen = config.integer('num_experts_per_tok', { min: 1, max: count });
  return { count, chosen, width: config.integer(fields.width, { min: 1, max: MAX_WIDTH }) };
}
