/** Marks in a row from which ordering them here pays. */
export const LONG_MARK_RUN = 64;

/**
 * Puts a run of combining marks into canonical order, stably, in n log n. The result is canonically equivalent, so
 * every normalisation form of it is the same. Node itself inserts marks one by one, which is quadratic: a megabyte of
 * them in alternating order takes a minute. Source: Unicode Standard 3.11, D109, canonical ordering.
 */
export function orderMarks(run: string): string {
  const marks = [...decomposeEach(run)];
  const movable = [...new Set(marks)].filter(isReordered).toSorted(byClass);
  const classOf = new Map<string, number>();
  let number = 0;
  movable.forEach((mark, i) => {
    if (i > 0 && byClass(movable[i - 1] ?? mark, mark) !== 0) number++;
    classOf.set(mark, number);
  });
  return orderBetweenStarters(marks, classOf, number + 1);
}

/** Each mark decomposed on its own: no order changes yet. */
function decomposeEach(run: string): string {
  const known = new Map<string, string>();
  let text = '';
  for (const mark of run) {
    let parts = known.get(mark);
    if (parts === undefined) known.set(mark, (parts = mark.normalize('NFD')));
    text += parts;
  }
  return text;
}

/** Marks of class 0 stand; between them the others are sorted by class, equals in their order. */
function orderBetweenStarters(marks: readonly string[], classOf: ReadonlyMap<string, number>, classes: number): string {
  const buckets = Array.from({ length: classes }, (): string[] => []);
  const ordered: string[] = [];
  const empty = (): void => {
    for (const bucket of buckets) {
      for (const mark of bucket) ordered.push(mark);
      bucket.length = 0;
    }
  };
  for (const mark of marks) {
    const number = classOf.get(mark);
    if (number === undefined) {
      empty();
      ordered.push(mark);
    } else buckets[number]?.push(mark);
  }
  empty();
  return ordered.join('');
}

const LOWEST = '\u0334'; // class 1
const HIGHEST = '\u0345'; // class 240

/** Whether a decomposed mark has a class other than 0: whether normalising ever moves it. */
function isReordered(mark: string): boolean {
  return isSwapped(mark, LOWEST) || isSwapped(HIGHEST, mark);
}

/** Compares the combining classes of two marks by what normalising does to them. */
function byClass(a: string, b: string): number {
  return isSwapped(a, b) ? 1 : isSwapped(b, a) ? -1 : 0;
}

function isSwapped(a: string, b: string): boolean {
  return a !== b && (a + b).normalize('NFD') === b + a;
}
