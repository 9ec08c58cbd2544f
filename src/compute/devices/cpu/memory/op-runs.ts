import { projectionNames, type Op } from '../../../compute-graph.js';

/** Ops in runs that must share a segment: only the residual stream is carried to another, so what reads more stays with what wrote it. */
export function runsOf(ops: readonly Op[]): Op[][] {
  const runs: Op[][] = [];
  for (const op of ops) {
    const run = runs.at(-1);
    const readsMore = op.op === 'addNorm' || (op.op === 'linear' && op.input !== 'hidden');
    if (run !== undefined && readsMore) run.push(op);
    else runs.push([op]);
  }
  return runs;
}

/** The tensors that `op` reads: they share its segment. */
export function tensorsOf(op: Op): string[] {
  switch (op.op) {
    case 'embed':
      return [op.table];
    case 'attention':
      return [
        ...projectionNames.flatMap((name) => [op[name].weight, op[name].bias]),
        op.norm.weight,
        op.queryNorm,
        op.keyNorm,
      ].filter((name) => name !== undefined);
    case 'linear':
      return [...op.weights, op.norm?.weight, op.bias].filter((name) => name !== undefined);
    case 'addNorm':
      return [op.norm.weight];
    case 'logits':
      return [op.weight, op.norm.weight];
  }
}

/** `names`, and those that must lie in the same segment because a run reads them together with one of `names`. */
export function tensorsBeside(names: readonly string[], runTensors: readonly (readonly string[])[]): string[] {
  return [...new Set([names, ...runTensors.filter((others) => others.some((name) => names.includes(name)))].flat())];
}
