import { Type, type Static } from '../../../schema/index.js';
import { annotate, strict } from '../../../yaml-file/index.js';
import { MAX_TARGETS } from '../limits.js';
import { currency, maxOutputTokens, MODEL_ID, runtimeId } from './texts.js';

const perMillion = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 32,
    ...annotate(description, { expected: "a decimal number in quotes such as '0.10'", check: 'price' }),
  });

/** A model of a runtime that answers for a model of the gateway. */
export const TargetEntry = Type.Object(
  {
    runtime: runtimeId('The `id` of a runtime.'),
    model: Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: '^[^\\x00-\\x1f\\x7f]+$',
      ...annotate('What this runtime calls the model.', { expected: 'the name of a model of the runtime' }),
    }),
    weight: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 1,
      ...annotate('Its share of the requests among the targets of the same order.'),
    }),
    order: Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 0,
      ...annotate('Lower orders come first. The next order is asked when no target of this one can answer.'),
    }),
  },
  { ...strict, ...annotate('One runtime that serves the model.', { title: 'a target' }) },
);
export type TargetEntry = Static<typeof TargetEntry>;

/** Prices of tokens. */
export const PriceEntry = Type.Object(
  {
    input_per_million: perMillion('Of a million prompt tokens.'),
    output_per_million: perMillion('Of a million completion tokens, thinking included.'),
    currency,
  },
  { ...strict, ...annotate('What tokens cost. Without it requests cost nothing.', { title: 'a price' }) },
);
export type PriceEntry = Static<typeof PriceEntry>;

/** A model that clients may ask for. */
export const GatewayModelEntry = Type.Object(
  {
    id: Type.String({
      pattern: MODEL_ID,
      ...annotate('What clients ask for.', { expected: '1 to 256 printable characters without spaces and without *' }),
    }),
    targets: Type.Array(TargetEntry, {
      minItems: 1,
      maxItems: MAX_TARGETS,
      ...annotate('The runtimes that serve it.', { title: 'targets' }),
    }),
    max_output_tokens: Type.Optional(
      maxOutputTokens('Most completion tokens of one answer. Requests that ask for more are refused.'),
    ),
    price: Type.Optional(PriceEntry),
  },
  { ...strict, ...annotate('A model.', { title: 'a model' }) },
);
export type GatewayModelEntry = Static<typeof GatewayModelEntry>;
