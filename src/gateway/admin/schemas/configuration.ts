import { Type, type Static } from '../../../schema/index.js';
import { MAX_YAML_BYTES } from '../../../yaml-file/index.js';
import { orNull, Time } from './paging.js';

/** A mistake or a warning, with its line and column, from 1. */
export const ShownProblem = Type.Object({
  line: Type.Integer(),
  column: Type.Integer(),
  field: Type.String(),
  message: Type.String(),
});

/**
 * Lines that differ. `kind`: `+` was added, `-` was removed, blank is context. Numbers start at 1; null where a text
 * lacks the line.
 */
export const DiffLine = Type.Object({
  kind: Type.Enum(['+', '-', ' ']),
  before: orNull(Type.Integer()),
  after: orNull(Type.Integer()),
  text: Type.String(),
});

/**
 * A difference of two texts, by lines, with three lines around each change. `truncated`: more changes exist than are
 * shown.
 */
export const Diff = Type.Object({
  hunks: Type.Array(Type.Array(DiffLine)),
  added: Type.Integer(),
  removed: Type.Integer(),
  truncated: Type.Boolean(),
});
export type Diff = Static<typeof Diff>;

/** Text of a gateway.yaml. */
const ConfigText = Type.String({ maxLength: MAX_YAML_BYTES });

/** The current gateway.yaml. `in_use`: the gateway runs with this text; otherwise `refused` says why not. */
export const ShownConfig = Type.Object({
  path: Type.String(),
  text: Type.String(),
  etag: Type.String(),
  values: Type.Unknown({ description: 'As values, defaults filled in; null where it cannot be used.' }),
  problems: Type.Array(ShownProblem),
  warnings: Type.Array(ShownProblem),
  in_use: Type.Boolean(),
  refused: orNull(Type.String()),
  needs_restart: Type.Array(Type.String({ description: 'Fields that the next start takes up.' })),
});

/** A text to check, or to write. */
export const SentText = Type.Object({ text: ConfigText });

/** A text checked as a gateway.yaml, and its differences from the file. */
export const CheckedText = Type.Object({
  valid: Type.Boolean(),
  problems: Type.Array(ShownProblem),
  warnings: Type.Array(ShownProblem),
  diff: Diff,
});

const List = Type.Enum(['runtimes', 'models', 'virtual_keys']);
const Fields = Type.Record(Type.String(), Type.Unknown());

/** One change of the file, as the form makes it. Comments and order stay. */
export const SentEdit = Type.Union([
  Type.Object({
    action: Type.Literal('add'),
    list: List,
    entry: Type.Object({ id: Type.String({ minLength: 1, maxLength: 256 }) }),
  }),
  Type.Object({
    action: Type.Literal('change'),
    list: List,
    id: Type.String({ maxLength: 256 }),
    fields: Fields,
    without: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 32 })),
  }),
  Type.Object({ action: Type.Literal('remove'), list: List, id: Type.String({ maxLength: 256 }) }),
  Type.Object({
    action: Type.Literal('set'),
    field: Type.Enum(['listen', 'passthrough', 'cors_origins', 'limits', 'retention']),
    value: Type.Unknown(),
  }),
]);

/** Changes to make, one after the other. With `preview` nothing is written. */
export const ConfigEdits = Type.Object({
  edits: Type.Array(SentEdit, { minItems: 1, maxItems: 1_000 }),
  preview: Type.Optional(Type.Boolean()),
});

/** The file after changes, or a preview of it. */
export const EditedConfig = Type.Object({
  text: Type.String(),
  etag: Type.String(),
  diff: Diff,
  written: Type.Boolean(),
  in_use: Type.Boolean(),
  refused: orNull(Type.String()),
  needs_restart: Type.Array(Type.String()),
});
export type EditedConfig = Static<typeof EditedConfig>;

/** An earlier text of the file. */
export const Version = Type.Object({ id: Type.String(), saved_at: Time, size_bytes: Type.Integer() });

/** The texts before, the newest first. */
export const VersionList = Type.Object({ data: Type.Array(Version) });

/** One version, and the lines of the file that it lacks. */
export const WholeVersion = Type.Object({
  ...Version.properties,
  text: Type.String(),
  valid: Type.Boolean(),
  diff: Diff,
});

/** The schema of gateway.yaml, for forms. */
export const ConfigSchema = Type.Record(Type.String(), Type.Unknown());
