import type { Architecture, GgufFamily } from './architecture.js';
import type { ConfigReader } from './config-json.js';
import { parseDecoderConfig, type DecoderTraits } from './decoder-config.js';
import { decoderForward, decoderWeights } from './decoder.js';
import { decoderGguf } from './decoder-gguf.js';
import type { DecoderPart, GgufTensorNames } from './parts/part.js';

/** The declaration of a family of decoders. */
export interface DecoderFamily {
  /** Its name in config.json. */
  readonly modelType: string;
  /** Other names in config.json of the same mathematics. */
  readonly aliases?: readonly string[];
  /** The parts of each layer, in order; each part norms its input and adds to the residual stream. */
  readonly layer: readonly DecoderPart[];
  /** Behaviour of its parts beyond config.json. Errors: `config_invalid`, `unsupported_config`. */
  readonly traits: (config: ConfigReader) => DecoderTraits;
  /** Its GGUF files. Absent: it has none that can be read. */
  readonly gguf?: GgufFamily;
}

/** The architecture that a family's declaration makes. */
export function decoderFamily({ modelType, aliases = [], layer, traits, gguf }: DecoderFamily): Architecture {
  return {
    modelType,
    aliases,
    parseConfig: (config) => parseDecoderConfig(config, modelType, traits(config)),
    weights: (config) => decoderWeights(config, layer),
    forward: (config) => decoderForward(config, layer),
    ...(gguf && { gguf: { ...gguf, ...decoderGguf, layerTensors: mergeNames(layer) } }),
  };
}

function mergeNames(layer: readonly DecoderPart[]): GgufTensorNames {
  return Object.fromEntries(layer.flatMap(({ ggufNames }) => Object.entries(ggufNames)));
}
