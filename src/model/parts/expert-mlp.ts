import { present } from '../../base/index.js';
import type { Op } from '../../compute/index.js';
import type { ExpertsConfig, ModelConfig } from '../config.js';
import { allRows, matrix, type WeightSpec } from '../weight-table.js';
import { gatedMlp, inTurns } from './gated-mlp.js';
import { normBefore, normBeforeWeights } from './part-norms.js';
import { partByLayer, type DecoderPart } from './part.js';

const NORM = 'post_attention_layernorm';

/** Gated MLPs of which a token takes the best by a router's scores; a gated MLP of its own in layers without experts. */
export function expertMlp(): DecoderPart {
  const experts: DecoderPart = {
    ops: expertOps,
    weights: expertWeights,
    smallWeights: () => [],
    ggufNames: {
      ffn_norm: NORM,
      ffn_gate_inp: 'mlp.gate',
      ffn_gate_exps: 'mlp.experts.*.gate_proj',
      ffn_up_exps: 'mlp.experts.*.up_proj',
      ffn_down_exps: 'mlp.experts.*.down_proj',
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

function expertWeights(config: ModelConfig, layer: number): WeightSpec[] {
  const { hiddenSize } = config;
  const { count, width } = expertsOf(config);
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  const each = Array.from({ length: count }, (_, expert) => `${from}.mlp.experts.${expert}`);
  const down = each.map((expert) => allRows(`${expert}.down_proj.weight`, hiddenSize));
  return [
    ...normBeforeWeights(`${at}.mlpNorm`, from, config, NORM),
    matrix(`${at}.router`, 'router', hiddenSize, [allRows(`${from}.mlp.gate.weight`, count)]),
    matrix(
      `${at}.expertGateUp`,
      'layer',
      hiddenSize,
      each.flatMap((expert) => inTurns(expert, ['gate_proj', 'up_proj'], 'weight', width)),
      2,
    ),
    matrix(`${at}.expertDown`, 'layer', width, down, 1),
  ];
}
