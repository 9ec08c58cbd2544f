import type { WeightSpec } from '../../model/index.js';
import { quantNames, quantOf, type QuantName } from '../../weights/index.js';
import type { WeightSource } from '../checkpoint.js';
import { dtypesOf } from '../packing/model-rows.js';

/** Quants that store a GGML type without loss, by its name. */
const LOSSLESS: ReadonlyMap<string, QuantName> = new Map(quantNames.map((name) => [quantOf(name).ggml, name]));

/** GGML's float types, each of which f32 represents exactly. F64 is read as f32 everywhere. */
const FLOATS: ReadonlySet<string> = new Set(['F16', 'BF16', 'F32', 'F64']);

/** The narrowest quant that stores a matrix exactly; q8 for other types, and where parts of one matrix differ. */
export function losslessQuant(spec: WeightSpec, tensors: WeightSource): QuantName {
  if (spec.kind === 'vector') return 'f32';
  const dtypes = dtypesOf(spec, tensors);
  const [only = 'F32'] = dtypes;
  const lossless = dtypes.size <= 1 ? LOSSLESS.get(only) : undefined;
  return lossless ?? ([...dtypes].every((dtype) => FLOATS.has(dtype)) ? 'f32' : 'q8');
}

/** Block types → the tensors of that type that are stored as q8 with a loss. */
export function requantisedTensors(
  specs: readonly WeightSpec[],
  tensors: WeightSource,
): ReadonlyMap<string, ReadonlySet<string>> {
  const requantised = new Map<string, Set<string>>();
  for (const spec of specs) {
    if (spec.kind === 'vector' || losslessQuant(spec, tensors) !== 'q8') continue;
    for (const { tensor } of spec.sources) {
      const dtype = tensors.tensors.get(tensor)?.dtype;
      if (dtype === undefined || LOSSLESS.get(dtype) === 'q8') continue;
      requantised.set(dtype, (requantised.get(dtype) ?? new Set()).add(tensor));
    }
  }
  return requantised;
}

/** One line about the types that are stored as q8, and why; undefined without any. */
export function sayRequantised(requantised: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const say = (isKept: boolean): string =>
    [...requantised]
      .filter(([dtype]) => (LOSSLESS.has(dtype) || FLOATS.has(dtype)) === isKept)
      .map(([dtype, names]) => `${dtype} (${names.size} ${names.size === 1 ? 'tensor' : 'tensors'})`)
      .join(', ');
  const unknown = say(false);
  const mixed = say(true);
  const reasons = [
    ...(unknown === ''
      ? []
      : [`${unknown}: no kernel computes with ${requantised.size === 1 ? 'this type' : 'these types'}`]),
    ...(mixed === '' ? [] : [`${mixed}: gate and up of a layer differ in type`]),
  ];
  return reasons.length === 0 ? undefined : `stored as q8, 8.5 bits a weight: ${reasons.join('; ')}`;
}
