import type { CodeTable } from '../base/index.js';

/** Codes of pulling models. */
export const pullCodes = {
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
} as const satisfies CodeTable;
