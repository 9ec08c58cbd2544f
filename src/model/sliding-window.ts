// Which layers look back only so far. Source: transformers' Qwen2Config, Qwen3Config and Gemma3TextConfig.

import { configInvalid, unsupportedConfig, type ConfigReader } from './config-json.js';
import { numLayersOf } from './decoder-config.js';

const MAX_WINDOW = 1 << 24;

/** No window on any layer. A family without windows refuses a config that sets one. */
export function noWindows(config: ConfigReader): number[] {
  if (config.has('sliding_window') && config.raw('use_sliding_window') !== false) {
    throw unsupportedConfig('sliding_window', config.raw('sliding_window'), 'none for this model_type');
  }
  const types = layerTypes(config);
  if (types?.includes('sliding_attention'))
    throw unsupportedConfig('layer_types', 'sliding_attention', 'full_attention');
  return Array.from({ length: numLayersOf(config) }, () => 0);
}

/** Windows of the qwen families: with `use_sliding_window`, on the layers that `layer_types` names, else from `max_window_layers` on. */
export function qwenWindows(config: ConfigReader): number[] {
  const numLayers = numLayersOf(config);
  const types = layerTypes(config);
  if (!config.boolean('use_sliding_window', false)) {
    if (types?.includes('sliding_attention')) {
      throw configInvalid('layer_types', 'sliding_attention', 'full_attention while use_sliding_window is not true');
    }
    return Array.from({ length: numLayers }, () => 0);
  }
  // Absent, it has a default; null is no window at all.
  if (config.raw('sliding_window') === null) {
    if (types?.includes('sliding_attention'))
      throw configInvalid('sliding_window', null, 'set for the layers that slide');
    return Array.from({ length: numLayers }, () => 0);
  }
  const window = config.integer('sliding_window', { min: 1, max: MAX_WINDOW, fallback: 4096 });
  const firstSliding = config.integer('max_window_layers', { min: 0, max: MAX_WINDOW, fallback: 28 });
  return Array.from({ length: numLayers }, (_, layer) => {
    const slides = types === undefined ? layer >= firstSliding : types[layer] === 'sliding_attention';
    return slides ? window : 0;
  });
}

/** The same window on all layers, `fallback` where the config names none; null is no window. */
export function oneWindow(config: ConfigReader, fallback: number): number[] {
  const isNone = config.raw('sliding_window') === null;
  const window = isNone ? 0 : config.integer('sliding_window', { min: 1, max: MAX_WINDOW, fallback });
  return Array.from({ length: numLayersOf(config) }, () => window);
}

/** Windows on all layers but every `pattern`th, unless the config has another pattern or lists each layer. */
export function alternatingWindows(config: ConfigReader, pattern: number): number[] {
  const types = layerTypes(config);
  const window = config.integer('sliding_window', { min: 1, max: MAX_WINDOW, fallback: 4096 });
  const field = config.has('_sliding_window_pattern') ? '_sliding_window_pattern' : 'sliding_window_pattern';
  const each = config.integer(field, { min: 1, max: MAX_WINDOW, fallback: pattern });
  return Array.from({ length: numLayersOf(config) }, (_, layer) => {
    const slides = types === undefined ? (layer + 1) % each !== 0 : types[layer] === 'sliding_attention';
    return slides ? window : 0;
  });
}

/** layer_types, one known name for each layer, or undefined. Errors: `config_invalid`, `unsupported_config`. */
function layerTypes(config: ConfigReader): readonly string[] | undefined {
  if (!config.has('layer_types')) return undefined;
  const types = config.raw('layer_types');
  const numLayers = numLayersOf(config);
  if (!Array.isArray(types) || types.length !== numLayers) {
    throw configInvalid('layer_types', types, `an array of ${numLayers} names, one a layer`);
  }
  for (const type of types) {
    if (type !== 'full_attention' && type !== 'sliding_attention') {
      throw unsupportedConfig('layer_types', type, 'full_attention, sliding_attention');
    }
  }
  return types as string[];
}
