import { Type, type Static } from '../../../schema/index.js';
import { Runtime } from '../../config/schema/runtime.js';
import { orNull } from './paging.js';

/** A finding at an endpoint. */
export const ShownFinding = Type.Object({
  url: Type.String(),
  kind: orNull(Type.String()),
  title: orNull(Type.String({ description: 'What people call the kind.' })),
  proof: orNull(Type.String({ description: 'The answer that proves the kind.' })),
  version: orNull(Type.String()),
  models: orNull(Type.Array(Type.String())),
  state: Type.Enum(['found', 'auth', 'skipped', 'impostor']),
  answered: Type.Boolean({ description: 'False: it did not identify itself in time.' }),
  reason: orNull(Type.String()),
  fingerprint: orNull(Type.String()),
  novelty: orNull(
    Type.Enum(['new', 'changed', 'known'], { description: 'Of what can be imported: whether the file has it.' }),
  ),
});
export type ShownFinding = Static<typeof ShownFinding>;

/** A runtime of the file, and how it does. `trouble`: why it gets no requests. */
export const ShownRuntime = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  title: Type.String(),
  base_url: Type.String(),
  fingerprint: orNull(Type.String()),
  metering: Type.Enum(['inject', 'observe']),
  translate: Type.Boolean(),
  api_key: orNull(Type.String({ description: 'Where its key is: `env NAME` or `file PATH`, never the key.' })),
  healthy: Type.Boolean(),
  trouble: orNull(Type.String()),
  reason: orNull(Type.String()),
  models: Type.Array(Type.String({ description: 'Models of the gateway that it serves.' })),
});
export type ShownRuntime = Static<typeof ShownRuntime>;

/** All runtimes, the known kinds, and the etag of the file. */
export const RuntimeList = Type.Object({
  data: Type.Array(ShownRuntime),
  kinds: Type.Array(Type.Object({ kind: Type.String(), title: Type.String() })),
  config_etag: Type.String(),
});

/** A runtime as the file has it. */
export const NewRuntime = Type.Object({
  ...Runtime.properties,
  translate: Type.Optional(Runtime.properties.translate),
});

/** A change of a runtime; null removes a field. */
export const RuntimeChange = Type.Object(
  {
    base_url: Type.Optional(Runtime.properties.base_url),
    metering: Type.Optional(Runtime.properties.metering),
    translate: Type.Optional(Runtime.properties.translate),
    api_key: Type.Optional(orNull(Runtime.properties.api_key)),
  },
  { minProperties: 1 },
);

/** The server at the address of a runtime now. `change`: its difference from the approved one; null: none. */
export const RuntimeCheck = Type.Object({ finding: ShownFinding, change: orNull(Type.String()) });

/** The fingerprint that an operator saw and approves. */
export const Approval = Type.Object({ fingerprint: Type.String({ pattern: '^[\\x21-\\x7e]{1,256}$' }) });
