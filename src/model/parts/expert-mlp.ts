import { present } from '../../base/index.js';
import type { Op } from '../../compute/index.js';
import type { ExpertsConfig, ModelConfig } from '../config.js';
import { allRows, expertMatrix, matrix, type RowSource, type WeightSpec } from '../weight-table.js';
import { gatedMlp } from './gated-mlp.js';
import { gateLinear, normBefore, normBeforeWeights } from './part-norms.js';
import { partByLayer, type DecoderPart } from './part.js';

const NORM = 'post_attention_layernorm';

/** The checkpoint's names that differ between families; an expert's follow those of all. */
const TENSORS = {
  router: 'mlp.gate',
  experts: 'mlp.experts',
  gate: 'gate_proj',
  up: 'up_proj',
  down: 'down_proj',
  /** One that all tokens go through, and the matrix of its factor. */
  shared: 'mlp.shared_expert',
  sharedGate: 'mlp.shared_expert_gate',
};

/** Gated MLPs of which a token takes the best by a router's scores; a gated MLP of its own in layers without experts. */
export function expertMlp(tensors: Partial<typeof TENSORS> = {}): DecoderPart {
  const names = { ...TENSORS, ...tensors };
  const experts: DecoderPart = {
    ops: expertOps,
    weights: (config, layer) => expertWeights(config, layer, names),
    smallWeights: () => [],
    widths(config) {
      const { sharedWidth } = expertsOf(config);
      return sharedWidth === 0
        ? []
        : [
            ['shared', sharedWidth],
            ['gate', 1],
          ];
    },
    ggufNames: {
      ffn_norm: NORM,
      ffn_gate_inp: names.router,
      ffn_gate_exps: `${names.experts}.*.${names.gate}`,
      ffn_up_exps: `${names.experts}.*.${names.up}`,
      ffn_down_exps: `${names.experts}.*.${names.down}`,
      ffn_gate_shexp: `${names.shared}.${names.gate}`,
      ffn_up_shexp: `${names.shared}.${names.up}`,
      ffn_down_shexp: `${names.shared}.${names.down}`,
      ffn_gate_inp_shexp: names.sharedGate,
    },
  };
  return partByLayer({ experts, dense: gatedMlp({ norm: NORM }) }, (config, layer) =>
    config.experts?.layers[layer] === true ? 'experts' : 'dense',
  );
}

function expertsOf({ experts }: ModelConfig): ExpertsConfig {
  return present(experts, 'a family with experts');
}

function expertOps(config: ModelConfig, layer: number): Op[] {
  const { chosen, isRenormalised, sharedWidth } = expertsOf(config);
  const at = `layers.${layer}`;
  const norm = normBefore(`${at}.mlpNorm`, NORM);
  return [
    { op: 'linear', input: 'hidden', ...norm, weight: `${at}.router`, output: 'scores', epilogue: 'store' },
    {
      op: 'experts',
      ...norm,
      chosen,
      isRenormalised,
      gate: `${at}.expertGate`,
      activation: config.activation,
      up: `${at}.expertUp`,
      down: `${at}.expertDown`,
    },
    ...(sharedWidth === 0 ? [] : sharedOps(config, at, norm)),
    { op: 'addNorm', scale: config.residualScale },
  ];
}

/** The expert of all tokens, times the sigmoid of a product of its own. */
function sharedOps(config: ModelConfig, at: string, norm: ReturnType<typeof normBefore>): Op[] {
  return [
    {
      op: 'linear',
      input: 'hidden',
      ...norm,
      gate: { weight: `${at}.sharedGate`, activation: config.activation },
      weight: `${at}.sharedUp`,
      output: 'shared',
      epilogue: 'store',
    },
    gateLinear(norm, `${at}.sharedFactor`),
    { op: 'sigmoidGate', values: 'shared', width: expertsOf(config).sharedWidth, spans: 'row' },
    {
      op: 'linear',
      input: 'shared',
      weight: `${at}.sharedDown`,
      output: config.residualScale === 1 ? 'hidden' : 'branch',
      epilogue: 'add',
    },
  ];
}

function expertWeights(config: ModelConfig, layer: number, names: typeof TENSORS): WeightSpec[] {
  const { hiddenSize } = config;
  const { count, width, sharedWidth } = expertsOf(config);
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  const of = (name: string): string[] =>
    Array.from({ length: count }, (_, expert) => `${from}.${names.experts}.${expert}.${name}.weight`);
  return [
    ...normBeforeWeights(`${at}.mlpNorm`, from, config, NORM),
    matrix(`${at}.router`, 'router', hiddenSize, [allRows(`${from}.${names.router}.weight`, count)]),
    expertMatrix(`${at}.expertGate`, hiddenSize, width, of(names.gate)),
    expertMatrix(`${at}.expertUp`, hiddenSize, width, of(names.up)),
    expertMatrix(`${at}.expertDown`, width, hiddenSize, of(names.down)),
    ...(sharedWidth === 0 ? [] : sharedWeights(config, at, from, names)),
  ];
}

function sharedWeights(config: ModelConfig, at: string, from: string, names: typeof TENSORS): WeightSpec[] {
  const { hiddenSize } = config;
  const { sharedWidth } = expertsOf(config);
  const rows = (name: string, count: number): RowSource[] => [allRows(`${from}.${names.shared}.${name}.weight`, count)];
  const factor = matrix(`${at}.sharedFactor`, 'router', hiddenSize, [allRows(`${from}.${names.sharedGate}.weight`, 1)]);
  return [
    matrix(`${at}.sharedGate`, 'layer', hiddenSize, rows(names.gate, sharedWidth)),
    matrix(`${at}.sharedUp`, 'layer', hiddenSize, rows(names.up, sharedWidth)),
    { ...factor, shape: [1, hiddenSize] },
    matrix(`${at}.sharedDown`, 'layer', sharedWidth, rows(names.down, hiddenSize)),
  ];
}
