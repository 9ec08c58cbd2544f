import { present } from '../../base/index.js';
import type { Op } from '../../compute/index.js';
import type { ExpertsConfig, ModelConfig } from '../config.js';
import { panelNames } from '../column-panels.js';
import { allRows, matrix, panels, type WeightSpec } from '../weight-table.js';
import { gatedMlp, inTurns } from './gated-mlp.js';
import { gateLinear, normBefore, normBeforeWeights, residualOutput } from './part-norms.js';
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
    { op: 'linear', input: 'hidden', ...norm, weights: [`${at}.router`], output: 'scores', epilogue: 'store' },
    {
      op: 'experts',
      ...norm,
      chosen,
      isRenormalised,
      gateUp: `${at}.expertGateUp`,
      activation: config.activation,
      down: `${at}.expertDown`,
    },
    ...(sharedWidth === 0 ? [] : sharedOps(config, at, norm)),
    { op: 'addNorm' },
  ];
}

/** The expert of all tokens, times the sigmoid of a product of its own. */
function sharedOps(config: ModelConfig, at: string, norm: ReturnType<typeof normBefore>): Op[] {
  return [
    {
      op: 'linear',
      input: 'hidden',
      ...norm,
      weights: [`${at}.sharedGateUp`],
      output: 'shared',
      epilogue: `${config.activation}Gate`,
    },
    gateLinear(norm, `${at}.sharedGate`),
    { op: 'sigmoidGate', values: 'shared', width: expertsOf(config).sharedWidth, spans: 'row' },
    {
      op: 'linear',
      input: 'shared',
      weights: panelNames(`${at}.sharedDown`, expertsOf(config).sharedWidth),
      ...residualOutput(undefined),
    },
  ];
}

function expertWeights(config: ModelConfig, layer: number, names: typeof TENSORS): WeightSpec[] {
  const { hiddenSize } = config;
  const { count, width, sharedWidth } = expertsOf(config);
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  const each = Array.from({ length: count }, (_, expert) => `${from}.${names.experts}.${expert}`);
  const down = each.map((expert) => allRows(`${expert}.${names.down}.weight`, hiddenSize));
  return [
    ...normBeforeWeights(`${at}.mlpNorm`, from, config, NORM),
    matrix(`${at}.router`, 'router', hiddenSize, [allRows(`${from}.${names.router}.weight`, count)]),
    matrix(
      `${at}.expertGateUp`,
      'layer',
      hiddenSize,
      each.flatMap((expert) => inTurns(expert, [names.gate, names.up], 'weight', width)),
      2,
    ),
    matrix(`${at}.expertDown`, 'layer', width, down, 1),
    ...(sharedWidth === 0 ? [] : sharedWeights(config, at, from, names)),
  ];
}

function sharedWeights(config: ModelConfig, at: string, from: string, names: typeof TENSORS): WeightSpec[] {
  const { hiddenSize } = config;
  const { sharedWidth } = expertsOf(config);
  const shared = `${from}.${names.shared}`;
  const factor = matrix(`${at}.sharedGate`, 'router', hiddenSize, [allRows(`${from}.${names.sharedGate}.weight`, 1)]);
  return [
    matrix(
      `${at}.sharedGateUp`,
      'layer',
      hiddenSize,
      inTurns(shared, [names.gate, names.up], 'weight', sharedWidth),
      2,
    ),
    { ...factor, shape: [1, hiddenSize] },
    ...panels(`${at}.sharedDown`, sharedWidth, allRows(`${shared}.${names.down}.weight`, hiddenSize)),
  ];
}
