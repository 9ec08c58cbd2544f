import { parseStrictJson, isJsonObject } from '../../base/index.js';
import type { ListedModel } from '../gateways/connected-gateway.js';
import { isModelId } from '../gateways/gateway-store.js';

/** Models of one gateway that are kept: no runtime or gateway of one owner has more. */
export const MAX_SYNCED_MODELS = 1_000;
/** A list is a list of objects; vLLM's has permissions one level below. */
const LIMITS = { maxDepth: 16, maxItems: 60_000, maxNodes: 60_000 };
/** Tokens: a server that states more is wrong. */
const MAX_CONTEXT_LENGTH = 1 << 30;
/** Names of the context length in servers: vLLM and SGLang; OpenRouter and LiteLLM; LM Studio. */
const CONTEXT_FIELDS = ['max_model_len', 'context_length', 'max_context_length'] as const;

/** A list, or why it is none: the end of a sentence that begins with it. Nothing that the gateway wrote is in it. */
export type ReadList =
  | { readonly models: readonly ListedModel[]; readonly skipped: number }
  | { readonly trouble: string };

/** Reads the body of `GET /v1/models`. Skips entries whose ids no client could send. */
export function readModelList(body: Uint8Array): ReadList {
  let root: unknown;
  try {
    root = parseStrictJson(body, LIMITS, (why) => new Error(why));
  } catch (error) {
    return { trouble: (error as Error).message };
  }
  if (!isJsonObject(root) || !('data' in root)) return { trouble: 'is no list of models: it has no data' };
  // Servers in Go write an empty list so.
  const data: unknown = root['data'] ?? [];
  if (!Array.isArray(data)) return { trouble: 'is no list of models: its data is no array' };
  const models = new Map<string, ListedModel>();
  let skipped = 0;
  for (const entry of data as readonly unknown[]) {
    const id = isJsonObject(entry) ? entry['id'] : undefined;
    if (!isJsonObject(entry) || typeof id !== 'string' || !isModelId(id)) skipped++;
    else if (!models.has(id)) models.set(id, toListedModel(id, entry));
  }
  if (models.size > MAX_SYNCED_MODELS)
    return { trouble: `has ${models.size} models; the limit is ${MAX_SYNCED_MODELS}` };
  return { models: [...models.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)), skipped };
}

function toListedModel(id: string, entry: Readonly<Record<string, unknown>>): ListedModel {
  const told = CONTEXT_FIELDS.map((name) => entry[name]).find((value) => isWhole(value, 1, MAX_CONTEXT_LENGTH));
  const created = entry['created'];
  return {
    id,
    created: isWhole(created, 0, Number.MAX_SAFE_INTEGER) ? created : 0,
    ...(isWhole(told, 1, MAX_CONTEXT_LENGTH) && { contextLength: told }),
  };
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}
