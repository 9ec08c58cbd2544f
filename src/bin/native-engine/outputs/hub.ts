import { Type } from '../../../schema/index.js';

const strict = { additionalProperties: false };
const bytes = Type.Integer({ minimum: 0 });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });

/** One line of `pull --json`: what happens, in order; the last is `done`, or an error on standard error. */
export const pull = Type.Union([
  Type.Object(
    {
      event: Type.Literal('plan'),
      repo: Type.String(),
      revision: Type.String({ description: 'the commit' }),
      quant: nullable(Type.String(), 'as the name of the file says it; null for safetensors'),
      downloadBytes: bytes,
      diskBytes: Type.Integer({ minimum: 0, description: 'the most that is needed at once' }),
      freeBytes: nullable(bytes, 'of the disk; null where the system does not say it'),
      memoryBytes: Type.Integer({ minimum: 0, description: 'when it runs, by the size of the files' }),
      budgetBytes: Type.Integer({ minimum: 0, description: 'what models may take here' }),
      fits: Type.Boolean(),
      fittingQuant: nullable(Type.String(), 'the largest that fits, where this one does not'),
    },
    strict,
  ),
  Type.Object(
    {
      event: Type.Enum(['download', 'convert']),
      doneBytes: bytes,
      totalBytes: bytes,
      bytesPerSecond: nullable(bytes, 'of the last seconds; null while it is not known'),
      secondsLeft: nullable(bytes, 'at that speed'),
    },
    strict,
  ),
  Type.Object(
    {
      event: Type.Literal('retry'),
      file: nullable(Type.String(), 'null: a question to the hub'),
      reason: Type.String(),
      attempt: Type.Integer({ minimum: 2 }),
      waitMs: bytes,
    },
    strict,
  ),
  Type.Object({ event: Type.Enum(['note', 'notice', 'wait']), text: Type.String() }, strict),
  Type.Object(
    {
      event: Type.Literal('done'),
      outcome: Type.Enum(['new', 'updated', 'current']),
      name: Type.String({ description: 'the directory in the models directory' }),
      path: Type.String(),
      repo: Type.String(),
      revision: Type.String(),
      quant: nullable(Type.String(), 'null for safetensors'),
      fetchedBytes: bytes,
    },
    strict,
  ),
]);
export type PullOutput = Type.Static<typeof pull>;

/** `search --json`. */
export const search = Type.Array(
  Type.Object(
    {
      repo: Type.String(),
      downloads: bytes,
      likes: bytes,
      gated: Type.Boolean(),
      license: nullable(Type.String(), 'as the hub tags it'),
      quant: nullable(Type.String(), 'what a pull would take; null for safetensors'),
      downloadBytes: nullable(bytes, 'null where it cannot be pulled'),
      memoryBytes: nullable(bytes, 'when it runs, by the size of the files'),
      fits: nullable(Type.Boolean(), 'whether it fits the memory here'),
      problem: nullable(Type.String(), 'why it cannot be pulled'),
    },
    strict,
  ),
);
export type SearchOutput = Type.Static<typeof search>;
