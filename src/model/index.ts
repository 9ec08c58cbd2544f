/**
 * From weights to logits: the meaning of a config.json, the tensors of the artifact, and the forward pass as a graph.
 * Deliberately absent: scheduling, sampling, text, and any memory.
 */

import { AppError } from '../base/index.js';
import type { ComputeGraph } from '../compute/index.js';
import type { Architecture, CheckpointNames, GgufNames } from './architecture.js';
import { architectures } from './architectures/index.js';
import { configInvalid, readConfig } from './config-json.js';
import type { ModelConfig } from './config.js';
import type { WeightSpec } from './weight-table.js';

export type { CheckpointNames } from './architecture.js';
export type { ModelConfig } from './config.js';
export { modelCodes } from './errors.js';
export { rowSources, type RowSource, type WeightSpec } from './weight-table.js';

/** An architecture's GGUF files, and its name in config.json. */
export interface GgufArchitecture extends GgufNames {
  readonly modelType: string;
}

/** config.json as dimensions. Errors: `config_invalid`, `unsupported_architecture`, `unsupported_config`. */
export function parseModelConfig(json: unknown): ModelConfig {
  const config = readConfig(json);
  const modelType = config.text('model_type');
  if (modelType === undefined) throw configInvalid('model_type', undefined, 'a string such as "llama"');
  return architectureOf(modelType).parseConfig(config);
}

/** Names and specifics of each architecture's GGUF files, by general.architecture. */
export const ggufArchitectures: ReadonlyMap<string, GgufArchitecture> = new Map(
  [...new Set(architectures.values())].flatMap(({ modelType, gguf }): [string, GgufArchitecture][] =>
    gguf === undefined ? [] : [[gguf.architecture, { ...gguf, modelType }]],
  ),
);

/** Its tensors in checkpoints that have more than a text model; undefined where there are none. */
export function checkpointNames(config: ModelConfig): CheckpointNames | undefined {
  return architectureOf(config.modelType).checkpoint;
}

/** The artifact's tensors, in the order in which the forward pass reads them. */
export function weightTable(config: ModelConfig): readonly WeightSpec[] {
  return architectureOf(config.modelType).weights(config);
}

/** The forward pass. */
export function forwardGraph(config: ModelConfig): ComputeGraph {
  return architectureOf(config.modelType).forward(config);
}

function architectureOf(modelType: string): Architecture {
  const architecture = architectures.get(modelType);
  if (architecture !== undefined) return architecture;
  const known = [...architectures.keys()].join(', ');
  throw new AppError(
    'unsupported_architecture',
    `config.json: model_type "${modelType.slice(0, 80)}" is not supported; supported: ${known}`,
    { modelType: modelType.slice(0, 80) },
  );
}
