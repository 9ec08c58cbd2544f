import { unsupportedKeyword, type Keyword } from '../document/unsupported.js';
import { complementShape, isNothing, join, meet, NOTHING, type Shape } from '../shape/shape.js';
import { isImpossible } from './impossible.js';
import type { Mode, Reader } from './reader.js';

/** The values of `before` that have any of the shapes. Errors: `unsupported_schema`. */
export function readAnyOf(reader: Reader, before: Shape, shapes: readonly Shape[], mode: Mode): Shape {
  if (!mode.isSeen || !shapes.some(hasSeen))
    return join(NOTHING, ...shapes.map((shape) => meet(before, shape, reader)));
  // The parts of a value that were evaluated depend on all its shapes, so each combination is one of its own.
  let combined: readonly { readonly shape: Shape; readonly count: number }[] = [{ shape: before, count: 0 }];
  for (const shape of shapes) {
    const others = complementOf(reader, shape, { pointer: '', keyword: 'anyOf' });
    combined = combined.flatMap(({ shape: all, count }) =>
      [
        { shape: meet(all, shape, reader), count: count + 1 },
        { shape: meet(all, others, reader), count },
      ].filter((each) => !isNothing(each.shape)),
    );
  }
  return join(NOTHING, ...combined.filter(({ count }) => count > 0).map(({ shape }) => shape));
}

function hasSeen({ arrays, objects }: Shape): boolean {
  return arrays.some(({ numSeen }) => numSeen > 0) || objects.some(({ seen }) => seen.length > 0);
}

/**
 * The values of exactly one of the shapes; `strict`: the part of the others that each excludes. Errors:
 * `unsupported_schema`.
 */
export function readOneOf(
  reader: Reader,
  shapes: readonly Shape[],
  strict: readonly Shape[],
  mode: Mode,
  keyword: Keyword,
): Shape {
  const meets = strict.map((): number[] => []);
  shapes.forEach((shape, i) => {
    for (let j = i + 1; j < strict.length; j++) {
      if (isImpossible(reader, meet(shape, strict[j] ?? NOTHING, reader), mode)) continue;
      meets[i]?.push(j);
      meets[j]?.push(i);
    }
  });
  const exclusive = shapes.map((shape, i) =>
    (meets[i] ?? []).reduce(
      (rest, j) => meet(rest, complementOf(reader, strict[j] ?? NOTHING, keyword), reader),
      shape,
    ),
  );
  return join(NOTHING, ...exclusive);
}

function complementOf(reader: Reader, shape: Shape, keyword: Keyword): Shape {
  const others = complementShape(shape, reader);
  if (others !== undefined) return others;
  throw unsupportedKeyword({ ...keyword, reason: 'what uniqueItems excludes cannot be told' });
}
