import { Type } from '../schema/index.js';

/** Value of `engine`, by which a gateway recognises this engine. */
export const ENGINE_NAME = 'troupe';

/** Versions of the server. `version` is that of the API, which clients of Ollama compare; `engine` names this engine. */
export const ServerVersion = Type.Object({ version: Type.String(), engine: Type.String(), build: Type.String() });
export type ServerVersion = Type.Static<typeof ServerVersion>;

/** An actor or supervisor of the live tree, with its children. */
export const ServerHealth = Type.Object({
  status: Type.Enum(['ok']),
  uptime_ms: Type.Number(),
  /** The kernel variant, and a sentence about each thing that is slower than it could be. */
  kernel: Type.Object({ variant: Type.String(), notes: Type.Array(Type.String()) }),
  tree: Type.Object({
    id: Type.String(),
    state: Type.String(),
    restarts: Type.Integer(),
    children: Type.Array(Type.Unknown()),
  }),
});
export type ServerHealth = Type.Static<typeof ServerHealth>;

/** The answer of a server that accepts requests. */
export const ServerReady = Type.Object({ status: Type.Enum(['ready']) });
export type ServerReady = Type.Static<typeof ServerReady>;
