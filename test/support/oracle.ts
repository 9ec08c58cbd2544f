// What independent implementations say of the tiny models: see test/vectors/models/SOURCE.md.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One prompt with the logits and greedy tokens that transformers gives. */
export interface OraclePrompt {
  readonly ids: number[];
  /** f32 [rows.length, vocabSize] */
  readonly logits: Float32Array;
  readonly rows: number[];
  readonly vocabSize: number;
  readonly maxAbsLogit: number;
  readonly greedy: number[];
}

interface ExpectedJson {
  readonly tolerance: number;
  readonly prompts: readonly {
    readonly ids: number[];
    readonly logits: string;
    readonly rows: number[];
    readonly shape: readonly [number, number];
    readonly max_abs_logit: number;
    readonly greedy: number[];
  }[];
}

const VECTORS = join(process.cwd(), 'test/vectors/models');
const IN_PLACE = join(process.cwd(), '../shared/oracle/models');

/** Directories of oracle models of the given architectures: the whole set where it lies beside the project, else our copies. */
export function oracleModels(modelTypes: readonly string[]): { name: string; directory: string }[] {
  const root = existsSync(IN_PLACE) ? IN_PLACE : VECTORS;
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({ name: entry.name, directory: join(root, entry.name) }))
    .filter(({ directory }) => modelTypes.includes(modelTypeOf(directory)));
}

/** The oracle's answers for one model. */
export function readExpected(directory: string): { tolerance: number; prompts: OraclePrompt[] } {
  const expected = JSON.parse(readFileSync(join(directory, 'expected.json'), 'utf8')) as ExpectedJson;
  const prompts = expected.prompts.map(({ ids, logits, rows, shape, max_abs_logit: maxAbsLogit, greedy }) => {
    const bytes = readFileSync(join(directory, logits));
    const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return { ids, logits: floats, rows, vocabSize: shape[1], maxAbsLogit, greedy };
  });
  return { tolerance: expected.tolerance, prompts };
}

function modelTypeOf(directory: string): string {
  const config = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')) as { model_type: string };
  return config.model_type;
}
