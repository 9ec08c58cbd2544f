import { LIMITS } from '../conversation/limits.js';
import { fieldsOf, itemsOf, numberOf, parseJson, textOf } from '../../data/index.js';

/** A model of the server. */
export interface ServedModel {
  readonly id: string;
  /** Tokens of prompt and completion together; undefined until the first load of the model. */
  readonly contextLength: number | undefined;
}

/** The most listed models. */
const MAX_MODELS = 1_000;
/** The server counts as unreachable after this time without an answer. */
const TIMEOUT_MS = 5_000;

/** The models of the server; undefined if it does not answer, or answers with an error. */
export async function listModels(send: typeof fetch = fetch): Promise<readonly ServedModel[] | undefined> {
  try {
    const response = await send('/v1/models', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? readModels(parseJson(await response.text())) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a list of models; entries without a usable id are left out. */
export function readModels(value: unknown): readonly ServedModel[] {
  return itemsOf(fieldsOf(value)['data'])
    .slice(0, MAX_MODELS)
    .flatMap((entry) => {
      const { id, max_model_len: length } = fieldsOf(entry);
      const name = textOf(id);
      if (name === undefined || name === '' || name.length > LIMITS.nameChars) return [];
      return [{ id: name, contextLength: numberOf(length) }];
    });
}
