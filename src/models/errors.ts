import type { CodeTable } from '../base/index.js';

/** Codes of models by name: in memory, of a server, and pulled. */
export const modelsCodes = {
  models_busy: {
    who: 'wait',
    kind: 'unavailable',
    when: 'a model fits the memory budget, but the loaded models are in use and were not released; or too many calls or loads wait already',
  },
  pull_no_weights: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a repository has neither GGUF files nor safetensors with a config.json, or lacks a part of them',
  },
  pull_quant_missing: {
    who: 'caller',
    kind: 'not_found',
    when: 'a repository has no file of the quant that was asked for',
  },
  pull_busy: {
    who: 'wait',
    kind: 'unavailable',
    when: 'as many models are being pulled as may be at once',
  },
  model_loading: {
    who: 'wait',
    kind: 'unavailable',
    when: 'the first model still loads, so no request can be answered now',
  },
  models_fixed: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'a request would add, copy or remove models of a server that has the one of its configuration',
  },
  model_unloaded: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the one model of a server is not loaded, since it was unloaded',
  },
} as const satisfies CodeTable;
