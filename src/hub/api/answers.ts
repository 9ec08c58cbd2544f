// The answers of a hub, with the fields that we use: unknown fields are ignored. Source: huggingface.co/docs/hub/api,
// and the types of @huggingface/hub (ApiModelInfo, ApiIndexTreeEntry).
import { Compile, Type, type Static, type TSchema } from '../../schema/index.js';

const sha1 = Type.String({ pattern: '^[0-9a-f]{40}$' });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** It becomes a part of URLs. */
const ID = /^[A-Za-z0-9_][A-Za-z0-9._-]*\/[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const id = Type.String({ maxLength: 256, pattern: ID.source });

/** A model in the form of `/api/models/{id}/revision/{revision}`. */
const ModelAnswer = Type.Object({
  id,
  sha: sha1,
  private: Type.Optional(Type.Boolean()),
  gated: Type.Optional(Type.Union([Type.Boolean(), Type.String({ maxLength: 64 })])),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 10_000 })),
});

/** One entry of a tree. */
const TreeEntry = Type.Object({
  type: Type.String({ maxLength: 64 }),
  path: Type.String({ maxLength: 4096 }),
  size: Type.Optional(bytes),
  oid: Type.Optional(Type.String({ maxLength: 128 })),
  lfs: Type.Optional(Type.Object({ oid: sha256, size: bytes })),
});
export type TreeEntry = Static<typeof TreeEntry>;

/** One model of a search, whose id may be invalid for us. */
const FoundAnswer = Type.Object({
  id: Type.String({ maxLength: 1024 }),
  downloads: Type.Optional(Type.Number()),
  likes: Type.Optional(Type.Number()),
  gated: Type.Optional(Type.Union([Type.Boolean(), Type.String({ maxLength: 64 })])),
  lastModified: Type.Optional(Type.String({ maxLength: 64 })),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 10_000 })),
});

/** Whether an id is `org/name`. */
export function isRepository(text: string): boolean {
  return ID.test(text);
}

/** Reads a model; undefined if its form is wrong. */
export const readModel = reader(ModelAnswer);
/** Reads a page of a tree. */
export const readTreePage = reader(Type.Array(TreeEntry, { maxItems: 100_000 }));
/** Reads a page of a search. */
export const readFoundPage = reader(Type.Array(FoundAnswer, { maxItems: 100_000 }));

function reader<S extends TSchema>(schema: S): (value: unknown) => Static<S> | undefined {
  const validator = Compile(schema);
  return (value) => (validator.Check(value) ? value : undefined);
}
