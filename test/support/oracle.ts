// What independent implementations say of the tiny models: see test/vectors/models/SOURCE.md.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { assert } from '../../src/base/index.js';
import type { Model } from '../../src/index.js';
import { wholeSet } from './whole-sets.js';

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

interface GgufExpectedJson {
  readonly architecture: string;
  readonly tensor_types: readonly string[];
}

/** The folders of the whole set, or the one of our copies. */
const rootsOf = (folders: readonly string[], copied: string): readonly string[] => [
  ...new Set(folders.map((name) => wholeSet(`oracle/${name}`, copied))),
];

/** Directories of oracle models of the given architectures. */
export function oracleModels(modelTypes: readonly string[]): { name: string; directory: string }[] {
  return rootsOf(['models', 'models2'], 'test/vectors/models')
    .flatMap((root) => readdirSync(root, { withFileTypes: true }).map((entry) => ({ root, entry })))
    .filter(({ entry }) => entry.isDirectory())
    .map(({ root, entry: { name } }) => ({ name, directory: join(root, name) }))
    .filter(({ directory }) => modelTypes.includes(modelTypeOf(directory)));
}

/** GGUF files of the given architectures whose tensors can be read. */
export function oracleGgufs(
  architectures: readonly string[],
  types: readonly string[],
): { name: string; path: string }[] {
  return rootsOf(['gguf', 'gguf2'], 'test/vectors/gguf')
    .flatMap((root) => readdirSync(root).map((file) => join(root, file)))
    .filter((path) => path.endsWith('.gguf'))
    .map((path) => ({ name: basename(path, '.gguf'), path }))
    .filter(({ path }) => {
      const about = JSON.parse(readFileSync(path.replace(/gguf$/, 'expected.json'), 'utf8')) as GgufExpectedJson;
      return architectures.includes(about.architecture) && about.tensor_types.every((type) => types.includes(type));
    });
}

/** The oracle's answers for one model; `file` is expected.json in a model's own directory. */
export function readExpected(
  directory: string,
  file = 'expected.json',
): { tolerance: number; prompts: OraclePrompt[] } {
  const expected = JSON.parse(readFileSync(join(directory, file), 'utf8')) as ExpectedJson;
  const prompts = expected.prompts.map(({ ids, logits, rows, shape, max_abs_logit: maxAbsLogit, greedy }) => {
    const bytes = readFileSync(join(directory, logits));
    const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return { ids, logits: floats, rows, vocabSize: shape[1], maxAbsLogit, greedy };
  });
  return { tolerance: expected.tolerance, prompts };
}

/** The largest difference of logits to the oracle's, over its largest absolute logit. */
export async function logitError(model: Model, prompt: OraclePrompt): Promise<number> {
  const logits = await model.forward(prompt.ids);
  assert(logits.length === prompt.ids.length * prompt.vocabSize, 'a row of logits for each token');
  let worst = 0;
  prompt.rows.forEach((row, i) => {
    for (let token = 0; token < prompt.vocabSize; token++) {
      const ours = logits[row * prompt.vocabSize + token] as number;
      const theirs = prompt.logits[i * prompt.vocabSize + token] as number;
      worst = Math.max(worst, Math.abs(ours - theirs));
    }
  });
  return worst / prompt.maxAbsLogit;
}

/** As many greedy tokens as the oracle has. */
export async function greedyTokens(model: Model, prompt: OraclePrompt): Promise<number[]> {
  const ids: number[] = [];
  const request = { promptTokenIds: prompt.ids, maxTokens: prompt.greedy.length, temperature: 0, ignoreStop: true };
  for await (const id of model.generate(request)) ids.push(id);
  return ids;
}

function modelTypeOf(directory: string): string {
  const config = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')) as { model_type: string };
  return config.model_type;
}
