import { AppError, assert } from '../../../base/index.js';
import { KV_BLOCK_TOKENS } from '../../kv-block.js';
import type { Device, DeviceInit } from '../../device.js';
import { pagedLayers } from '../../ops/index.js';
import { createRow } from '../cpu/logits/row.js';
import { createMachine, type ReferenceInit } from './machine.js';
import { runOp } from './ops/index.js';

/** Opens the interpreter of the graph in the engine's thread: op by op, on one thread. */
export function openInterpreter(init: DeviceInit, beat: () => void): Device {
  assert(isReferenceInit(init), 'a device is opened with what its own memory gives');
  const { graph, capacity } = init;
  const machine = createMachine(init);
  const stop = new Int32Array(init.stop);
  const finalNorm = graph.ops.find(({ op }) => op === 'logits');
  assert(finalNorm?.op === 'logits', 'a graph ends with its logits');
  return {
    capacity,
    hostThreads: 1,
    run(batch) {
      for (const op of graph.ops) {
        if (Atomics.load(stop, 0) !== 0) throw new AppError('compute_stopped', 'the step was interrupted');
        runOp(op, machine, batch);
        beat();
      }
    },
    copyBlock(from, to, pool = 0) {
      for (const { layer } of pagedLayers(graph.ops)) {
        if (machine.poolOf(layer) !== pool) continue;
        for (let offset = 0; offset < KV_BLOCK_TOKENS; offset++) {
          for (const which of ['key', 'value'] as const) {
            const source = machine.cached(layer, from * KV_BLOCK_TOKENS + offset, which);
            machine.cached(layer, to * KV_BLOCK_TOKENS + offset, which).set(source);
          }
        }
      }
    },
    copyState(from, to) {
      if (from === undefined) machine.states(to).fill(0);
      else machine.states(to).set(machine.states(from));
    },
    logits: (index) => machine.logits(index),
    sample(index, rule) {
      const logits = machine.logits(index);
      return (rule.isGreedy ? largest(logits) : undefined) ?? rule.choose(logits);
    },
    hidden: (row) => Float32Array.from(machine.norm(machine.row('hidden', row), finalNorm.norm)),
    row: createRow(graph.vocabSize),
  };
}

/** The first of the largest logits; undefined where one is NaN or +Infinity, and where all are −Infinity. */
function largest(logits: Float32Array): number | undefined {
  let best: number | undefined;
  let max = -Infinity;
  for (const [id, logit] of logits.entries()) {
    if (Number.isNaN(logit) || logit === Infinity) return undefined;
    if (logit <= max) continue;
    max = logit;
    best = id;
  }
  return best;
}

function isReferenceInit(init: DeviceInit): init is ReferenceInit {
  return 'cache' in init && 'weights' in init;
}
