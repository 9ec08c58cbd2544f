import { Type } from '../../../schema/index.js';

const strict = { additionalProperties: false };

/** A loaded model. */
const Loaded = Type.Object(
  {
    name: Type.String({ description: 'as clients call it' }),
    quant: Type.String(),
    sizeBytes: Type.Integer({ minimum: 0, description: 'bytes that it takes in memory' }),
    contextLength: Type.Integer({ minimum: 0, description: 'tokens of prompt and completion together' }),
    expiresAt: Type.Union([Type.String(), Type.Null()], { description: 'RFC 3339; null: when its memory is needed' }),
    signers: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'public keys with a valid signature of the loaded model, in hex; null: the server does not say',
    }),
  },
  strict,
);

/** `ps --json`. */
export const ps = Type.Array(Loaded);
export type PsOutput = Type.Static<typeof ps>;

/** `load --json`. */
export const load = Loaded;
export type LoadOutput = Type.Static<typeof load>;

/** `load --estimate-only --json`. */
export const estimate = Type.Object(
  {
    name: Type.String(),
    weightsBytes: Type.Integer({ minimum: 0 }),
    kvCacheBytes: Type.Integer({ minimum: 0, description: 'of one whole context' }),
    totalBytes: Type.Integer({ minimum: 0, description: 'weights, KV cache and activations' }),
    contextLength: Type.Integer({ minimum: 1, description: 'tokens, as it would be opened' }),
    declaredContextLength: Type.Integer({ minimum: 1 }),
    budgetBytes: Type.Integer({ minimum: 0, description: 'for all models together' }),
    freeBytes: Type.Integer({ minimum: 0, description: 'memory of the machine that is free now' }),
    fits: Type.Boolean({ description: 'whether it fits the budget' }),
  },
  strict,
);
export type EstimateOutput = Type.Static<typeof estimate>;

/** `unload --json` and `stop --json`. */
export const unload = Type.Array(
  Type.Object({ name: Type.String(), state: Type.Enum(['unloaded', 'ending', 'not loaded']) }, strict),
);
export type UnloadOutput = Type.Static<typeof unload>;

/** `status --json`. */
export const status = Type.Object(
  {
    url: Type.String(),
    engine: Type.Union([Type.String(), Type.Null()], { description: 'troupe; null: another server with the same API' }),
    build: Type.Union([Type.String(), Type.Null()], { description: 'the version of the package' }),
    uptimeMs: Type.Union([Type.Integer(), Type.Null()]),
    ready: Type.Boolean(),
    kernel: Type.Union([Type.String(), Type.Null()]),
    kernelNotes: Type.Array(Type.String()),
    numModels: Type.Integer({ minimum: 0, description: 'that requests may name' }),
    loaded: ps,
    tree: Type.Unknown({ description: 'the live tree of actors, as GET /health has it' }),
  },
  strict,
);
export type StatusOutput = Type.Static<typeof status>;
