import { AppError } from '../../base/index.js';

type HasNoEffect = (value: unknown) => boolean;

const is =
  (...values: readonly unknown[]): HasNoEffect =>
  (value) =>
    values.includes(value);
const isEmpty: HasNoEffect = (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
const isTextOnly: HasNoEffect = (value) => Array.isArray(value) && value.every((modality) => modality === 'text');
const never: HasNoEffect = () => false;

/**
 * Known fields that would change the answer and do not work yet: OpenAI's, and the sampling fields of llama.cpp and
 * vLLM. Each has a test for a value that asks for nothing, such as `mirostat: 0`. Known fields that never change an
 * answer are in `ignored-fields.ts`.
 */
const unsupportedFields: ReadonlyMap<string, HasNoEffect> = new Map([
  ['skip_special_tokens', is(true)],
  ['add_generation_prompt', is(true)],
  ['continue_final_message', is(false)],
  ['mirostat', is(0)],
  ['dynatemp_range', is(0)],
  ['top_n_sigma', is(0, -1)],
  ['bad_words', isEmpty],
  ['allowed_token_ids', never],
  ['functions', isEmpty],
  ['function_call', is('auto', 'none')],
  ['audio', never],
  ['modalities', isTextOnly],
]);

/** Retired fields of that list, and their replacements. */
const successors: ReadonlyMap<string, string> = new Map([
  ['functions', 'tools'],
  ['function_call', 'tool_choice'],
]);
/** Their names. */
export const unsupportedFieldNames: readonly string[] = [...unsupportedFields.keys()];

/** Refuses a request for unsupported features. Errors: `unsupported_parameter`. */
export function refuseUnsupportedFields(request: Readonly<Record<string, unknown>>): void {
  for (const [field, hasNoEffect] of unsupportedFields) {
    const value = request[field];
    if (value === undefined || hasNoEffect(value)) continue;
    const successor = successors.get(field);
    const why =
      successor === undefined ? 'not supported yet; leave it out of the request' : `retired; send ${successor} instead`;
    throw new AppError('unsupported_parameter', `${field} is ${why}`, { param: field });
  }
}
