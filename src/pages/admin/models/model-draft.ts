import { errorOf, readDecimal, readText, readWhole } from '../../data/index.js';
import { moneyText } from '../../../words/index.js';
import type { Model, ModelRules, SentTarget } from '../api/config-answers.js';

/** The typed values of a target. */
export interface TargetDraft {
  readonly runtime: string;
  readonly model: string;
  readonly weight: string;
  readonly order: string;
}

/** The typed values of a model. */
export interface ModelDraft {
  readonly id: string;
  readonly targets: readonly TargetDraft[];
  readonly maxOutputTokens: string;
  readonly hasPrice: boolean;
  readonly inputPrice: string;
  readonly outputPrice: string;
  readonly currency: string;
}

const MAX_ID = 256;
const MAX_NAME = 512;
const MAX_TOKENS = 10_000_000;

/** The draft of a new target. */
export const EMPTY_TARGET: TargetDraft = { runtime: '', model: '', weight: '1', order: '0' };

/** The draft of a new model. */
export const EMPTY_MODEL: ModelDraft = {
  id: '',
  targets: [EMPTY_TARGET],
  maxOutputTokens: '',
  hasPrice: false,
  inputPrice: '',
  outputPrice: '',
  currency: '',
};

/** The draft of an existing model. */
export function toDraft({ id, targets, max_output_tokens: tokens, price }: Model): ModelDraft {
  return {
    id,
    targets: targets.map(({ runtime, model, weight, order }) => ({
      runtime,
      model,
      weight: String(weight),
      order: String(order),
    })),
    maxOutputTokens: String(tokens ?? ''),
    hasPrice: price !== null,
    inputPrice: price?.input_per_million ?? '',
    outputPrice: price?.output_per_million ?? '',
    currency: price?.currency ?? '',
  };
}

/** The errors of a draft by field; empty without errors. */
export function errorsOf(draft: ModelDraft): Readonly<Record<string, string>> {
  const { id, targets, maxOutputTokens, hasPrice, inputPrice, outputPrice, currency } = draft;
  const found: [string, string | undefined][] = [
    ['id', errorOf(readText(id, MAX_ID)) ?? (/[\s*]/.test(id.trim()) ? 'Without spaces and without *.' : undefined)],
    ['tokens', errorOf(readWhole(maxOutputTokens, { min: 1, max: MAX_TOKENS, isOptional: true }))],
    ...targets.map((target, i): [string, string | undefined] => [`target${i}`, errorOfTarget(target)]),
    ...(targets.length === 0 ? [['targets', 'A model needs a target.'] as [string, string]] : []),
  ];
  if (hasPrice) {
    found.push(
      ['input', errorOf(readDecimal(inputPrice))],
      ['output', errorOf(readDecimal(outputPrice))],
      ['currency', /^[A-Z]{3}$/.test(currency) ? undefined : 'Three capital letters, such as EUR.'],
    );
  }
  return Object.fromEntries(found.flatMap(([name, error]) => (error === undefined ? [] : [[name, error]])));
}

function errorOfTarget({ runtime, model, weight, order }: TargetDraft): string | undefined {
  if (runtime === '') return 'Choose a runtime.';
  if ('error' in readText(model, MAX_NAME)) return 'Write what the runtime calls the model.';
  if ('error' in readWhole(weight, { min: 1, max: 1_000 })) return 'The weight is a whole number from 1 to 1000.';
  return 'error' in readWhole(order, { min: 0, max: 100 }) ? 'The order is a whole number from 0 to 100.' : undefined;
}

/** Converts a draft without errors to rules. */
export function toRules(draft: ModelDraft): ModelRules {
  const tokens = readWhole(draft.maxOutputTokens, { min: 1, max: MAX_TOKENS, isOptional: true });
  return {
    targets: draft.targets.map(toTarget),
    max_output_tokens: 'value' in tokens ? (tokens.value ?? null) : null,
    price: draft.hasPrice
      ? {
          input_per_million: draft.inputPrice.trim(),
          output_per_million: draft.outputPrice.trim(),
          currency: draft.currency,
        }
      : null,
  };
}

function toTarget({ runtime, model, weight, order }: TargetDraft): SentTarget {
  return { runtime, model: model.trim(), weight: Number(weight), order: Number(order) };
}

/** The rules as texts by field, for a comparison of two versions. */
export function toTexts(draft: ModelDraft): Readonly<Record<string, string>> {
  const targets = draft.targets.map(
    ({ runtime, model, weight, order }) => `${runtime}/${model} (weight ${weight}, order ${order})`,
  );
  const { hasPrice, inputPrice, outputPrice, currency } = draft;
  return {
    Targets: targets.join('; ') || 'none',
    'Longest answer': draft.maxOutputTokens || 'no limit',
    Price: hasPrice ? `${moneyText(inputPrice, currency)} in, ${moneyText(outputPrice, currency)} out` : 'none',
  };
}
