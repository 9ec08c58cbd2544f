import type { ComputeGraph } from '../compute/index.js';
import type { ConfigReader } from './config-json.js';
import type { ModelConfig } from './config.js';
import type { WeightSpec } from './weight-table.js';

/** What a file of the architectures registry gives. */
export interface Architecture {
  readonly modelType: string;
  /** config.json as dimensions and switches. Errors: `config_invalid`, `unsupported_config`. */
  readonly parseConfig: (config: ConfigReader) => ModelConfig;
  /** The artifact's tensors, in the order in which the forward pass reads them. */
  readonly weights: (config: ModelConfig) => WeightSpec[];
  /** The forward pass as data. */
  readonly forward: (config: ModelConfig) => ComputeGraph;
}
