import { listParameters, neutralOf, type NamedParameter } from '../parameter.js';
import { dry } from './dry.js';
import { logitBias } from './logit-bias.js';
import { minP } from './min-p.js';
import { minTokens } from './min-tokens.js';
import { occurrencePenalties } from './occurrence-penalties.js';
import { repetitionPenalty } from './repetition-penalty.js';
import { temperature } from './temperature.js';
import { topK } from './top-k.js';
import { topP } from './top-p.js';
import { typical } from './typical.js';
import { xtc } from './xtc.js';

/** The registry of samplers, in the order in which they apply: first those that change logits, then those that drop tokens. */
export const samplers = [
  logitBias,
  minTokens,
  repetitionPenalty,
  occurrencePenalties,
  dry,
  temperature,
  topK,
  typical,
  topP,
  minP,
  xtc,
] as const;

/** The parameters of all samplers. */
export const samplerParameters: readonly NamedParameter[] = samplers.flatMap((one) => listParameters(one.parameters));

/** The values of a request that sets none. */
export const neutralValues = neutralOf<(typeof samplers)[number]['parameters']>(samplerParameters);
