// The fields of config.json about rope, as published and as transformers 5 writes them.

import { configInvalid, unsupportedConfig, type ConfigReader } from './config-json.js';
import type { Rope, RopeScaling, Yarn } from './rope.js';

/** Names under which transformers 5 nests a rope of its own for each kind of layer. */
const LAYER_TYPES = ['full_attention', 'sliding_attention', 'chunked_attention', 'linear_attention'];

/** How the rope of layers with a window differs from that of the others. */
export type LocalRope = 'own base' | 'unscaled';

/** Inputs of reading the fields about rope. */
export interface RopeInput {
  readonly headDim: number;
  readonly contextLength: number;
  /** The rope of layers with a window, where it is another: with a base of its own, or that of the others unscaled. */
  readonly local?: LocalRope | undefined;
  /** Whether a part of each head may turn, the first so many dimensions. */
  readonly isPartial: boolean;
}

/** Default base of rope in layers with a window: gemma3's. Source: transformers' Gemma3TextConfig. */
const LOCAL_THETA = 10_000;
/** The base in its other layers. */
const GLOBAL_THETA = 1_000_000;

/** The ropes of a model: one for all layers, or that of layers without a window and that of layers with one. */
export function parseRopes(config: ConfigReader, input: RopeInput): Rope[] {
  if (input.headDim % 2 !== 0) throw configInvalid('head_dim', input.headDim, 'even, because rope turns pairs');
  if (input.local === undefined) return [parseRope(config, input)];
  if (input.local === 'unscaled') {
    const rope = parseRope(config, input);
    return [rope, { ...rope, scaling: { type: 'none' } }];
  }
  const nested = config.object('rope_parameters');
  const full = nested?.object('full_attention');
  const sliding = nested?.object('sliding_attention');
  if (nested === undefined) {
    const scaling = parseScaling(config.object('rope_scaling'), input);
    return [
      { theta: config.positive('rope_theta', GLOBAL_THETA), rotaryDim: input.headDim, scaling },
      {
        theta: config.positive('rope_local_base_freq', LOCAL_THETA),
        rotaryDim: input.headDim,
        scaling: { type: 'none' },
      },
    ];
  }
  if (full === undefined || sliding === undefined) {
    const expected = 'an object with full_attention and sliding_attention';
    throw configInvalid('rope_parameters', config.raw('rope_parameters'), expected);
  }
  return [
    { theta: full.positive('rope_theta', GLOBAL_THETA), rotaryDim: input.headDim, scaling: parseScaling(full, input) },
    {
      theta: sliding.positive('rope_theta', LOCAL_THETA),
      rotaryDim: input.headDim,
      scaling: parseScaling(sliding, input),
    },
  ];
}

/** Rope from `rope_parameters` (transformers 5), else from `rope_theta` and `rope_scaling` (as published). */
function parseRope(config: ConfigReader, input: RopeInput): Rope {
  const parameters = config.object('rope_parameters');
  const source = parameters ?? config.object('rope_scaling');
  const theta = parameters?.has('rope_theta')
    ? parameters.positive('rope_theta')
    : config.positive('rope_theta', 10_000);
  const scaling = parseScaling(source, input);
  const published = config.object('rope_scaling');
  if (published !== undefined && JSON.stringify(parseScaling(published, input)) !== JSON.stringify(scaling)) {
    throw configInvalid('rope_scaling', config.raw('rope_scaling'), 'absent, or say what rope_parameters says');
  }
  return { theta, rotaryDim: input.isPartial ? rotaryDimIn(config, input) : input.headDim, scaling };
}

/** The dimensions of a head that turn: an even number of them. */
function rotaryDimIn(config: ConfigReader, { headDim }: RopeInput): number {
  const [path, source] = ['rope_parameters', 'rope_scaling']
    .map((name) => [`${name}.`, config.object(name)] as const)
    .find(([, object]) => object?.has('partial_rotary_factor') === true) ?? ['', config];
  const factor = (source ?? config).positive('partial_rotary_factor', 1);
  const rotaryDim = Math.floor(headDim * factor);
  if (factor <= 1 && rotaryDim > 0 && rotaryDim % 2 === 0) return rotaryDim;
  throw configInvalid(`${path}partial_rotary_factor`, factor, `an even part of a head of ${headDim}, at most 1`);
}

function parseScaling(source: ConfigReader | undefined, { headDim, contextLength, isPartial }: RopeInput): RopeScaling {
  if (source === undefined) return { type: 'none' };
  for (const type of LAYER_TYPES) {
    if (source.has(type))
      throw unsupportedConfig(`${source.path}.${type}`, source.raw(type), 'one rope for all layers');
  }
  if (!isPartial && source.has('partial_rotary_factor') && source.raw('partial_rotary_factor') !== 1) {
    throw unsupportedConfig(`${source.path}.partial_rotary_factor`, source.raw('partial_rotary_factor'), '1');
  }
  const type = source.text('rope_type') ?? source.text('type') ?? 'default';
  if (type === 'default') return { type: 'none' };
  if (type === 'linear') return { type: 'linear', factor: source.positive('factor') };
  if (type === 'factors') return { type: 'factors', factors: parseFactors(source, headDim / 2) };
  if (type === 'yarn') return parseYarn(source, contextLength);
  if (type !== 'llama3')
    throw unsupportedConfig(`${source.path}.rope_type`, type, 'default, linear, llama3, yarn, factors');
  const lowFreqFactor = source.positive('low_freq_factor');
  const highFreqFactor = source.positive('high_freq_factor');
  if (highFreqFactor <= lowFreqFactor) {
    throw configInvalid(
      `${source.path}.high_freq_factor`,
      highFreqFactor,
      `above low_freq_factor, which is ${lowFreqFactor}`,
    );
  }
  return {
    type: 'llama3',
    factor: source.positive('factor'),
    lowFreqFactor,
    highFreqFactor,
    originalContextLength: source.positive('original_max_position_embeddings', contextLength),
  };
}

function parseYarn(source: ConfigReader, contextLength: number): Yarn {
  const originalContextLength = source.positive('original_max_position_embeddings', contextLength);
  const factor = source.positive('factor', contextLength / originalContextLength);
  const [betaFast, betaSlow] = [source.positive('beta_fast', 32), source.positive('beta_slow', 1)];
  if (betaFast < betaSlow) {
    throw configInvalid(`${source.path}.beta_fast`, betaFast, `beta_slow, which is ${betaSlow}, or more`);
  }
  const truncate = source.boolean('truncate', true);
  const usual = (mscale: number): number => (factor <= 1 ? 1 : 0.1 * mscale * Math.log(factor) + 1);
  const ofAll = ['mscale', 'mscale_all_dim'].every((name) => source.has(name))
    ? usual(source.positive('mscale')) / usual(source.positive('mscale_all_dim'))
    : usual(1);
  const magnitude = source.positive('attention_factor', ofAll);
  return { type: 'yarn', factor, originalContextLength, betaFast, betaSlow, truncate, magnitude };
}

/** The divisor of each frequency, one for each pair of dimensions: llama3's scaling in GGUF files. */
function parseFactors(source: ConfigReader, pairs: number): number[] {
  const factors = source.raw('factors');
  const isFactor = (value: unknown): value is number =>
    typeof value === 'number' && Number.isFinite(value) && value > 0;
  if (Array.isArray(factors) && factors.length === pairs && factors.every(isFactor)) return factors;
  throw configInvalid(`${source.path}.factors`, factors, `a list of ${pairs} numbers above 0`);
}
