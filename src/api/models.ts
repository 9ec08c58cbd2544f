import { Type } from '../schema/index.js';

/** A model that requests may name. */
export const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Enum(['model']),
  /** Modification time of its files, in seconds since 1970. */
  created: Type.Integer(),
  owned_by: Type.String(),
  /** Tokens of prompt and completion together, under vLLM's name; only for models used since the start of the server. */
  max_model_len: Type.Optional(Type.Integer()),
});
export type ModelEntry = Type.Static<typeof ModelEntry>;

/** All models. */
export const ModelList = Type.Object({ object: Type.Enum(['list']), data: Type.Array(ModelEntry) });
export type ModelList = Type.Static<typeof ModelList>;
