import { present } from '../../base/index.js';
import type { Op } from '../../compute/index.js';
import type { ExpertsConfig, ModelConfig } from '../config.js';
import { allRows, matrix, type WeightSpec } from '../weight-table.js';
import { gatedMlp, inTurns } from './gated-mlp.js';
import { normBefore, normBeforeWeights } from './part-norms.js';
import { partByLayer, type DecoderPart } from './part.js';

const NORM = 'post_attention_layernorm';

/** The checkpoint's names that differ between families; an expert's follow those of all. */
const TENSORS = {
  router: 'mlp.gate',
  experts: 'mlp.experts',
  gate: 'gate_proj',
  up: 'up_proj',
  down: 'down_proj',
};

/** Gated MLPs of which a token takes the best by a router's scores; a gated MLP of its own in layers without experts. */
export function expertMlp(tensors: Partial<typeof TENSORS> = {}): DecoderPart {
  const names = { ...TENSORS, ...tensors };
  const experts: DecoderPart = {
    ops: expertOps,
    weights: (config, layer) => expertWeights(config, layer, names),
    smallWeights: () => [],
    ggufNames: {
      ffn_norm: NORM,
      ffn_gate_inp: names.router,
      ffn_gate_exps: `${names.experts}.*.${names.gate}`,
      ffn_up_exps: `${names.experts}.*.${names.up}`,
      ffn_down_exps: `${names.experts}.*.${names.down}`,
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
  const { chosen, isRenormalised } = expertsOf(config);
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
    { op: 'addNorm' },
  ];
}

function expertWeights(config: ModelConfig, layer: number, names: typeof TENSORS): WeightSpec[] {
  const { hiddenSize } = config;
  const { count, width } = expertsOf(config);
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
  ];
}
