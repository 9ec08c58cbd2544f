import { createClassTable } from '../unicode/class-table.js';
import type { CodePointSet } from '../unicode/code-points.js';
import { unassignedRuns } from '../unicode/unicode-9-unassigned.js';
import type { PartParser } from '../file/part.js';
import { LONG_MARK_RUN, orderMarks } from './mark-runs.js';
import type { Normalizer } from './normalizer.js';

/**
 * The four normalisation forms (UAX 15) of the reference, in Unicode 9.0 (the tables of its crate
 * `unicode-normalization-alignments` 0.1.12). Later characters are inert, so the text is cut there and only the parts
 * between are normalised. The stability policy keeps the rest equal in the running Node, whatever its version. The
 * bounds: the first mark that composes, the first character with a canonical, or any, decomposition.
 */
export const NFC = form('NFC', 0x300);
export const NFD = form('NFD', 0xc0);
export const NFKC = form('NFKC', 0xa0);
export const NFKD = form('NFKD', 0xa0);

const INERT = 0;
const MARK = 1;

function form(name: string, stableBelow: number): PartParser<Normalizer> {
  return (_spec, { categoryOf }) => {
    const classes = createClassTable([unassigned(), categoryOf('M') ?? []]);
    const { pageOf, pages } = classes;
    const kinds = Uint8Array.from({ length: classes.count }, (_, number) =>
      classes.holds(number, INERT) ? 2 : classes.holds(number, MARK) ? 1 : 0,
    );

    /** Cuts at inert characters and orders long runs of marks on the way; most texts are one part without either. */
    const normalize = (text: string): string => {
      let done = '';
      let kept = 0; // the text before is done
      let marks = 0; // number of marks before `at`
      let ordered = '';
      let copied = 0; // the text from `kept` up to here is in `ordered`
      const closeRun = (at: number): void => {
        if (marks >= LONG_MARK_RUN) {
          const first = startOfMarks(text, at, marks);
          ordered += text.slice(copied, first) + orderMarks(text.slice(first, at));
          copied = at;
        }
        marks = 0;
      };
      const closePart = (at: number): void => {
        closeRun(at);
        done += (ordered + text.slice(copied, at)).normalize(name);
        ordered = '';
      };
      for (let at = 0; at < text.length;) {
        const code = text.codePointAt(at) ?? 0;
        const size = code > 0xffff ? 2 : 1;
        const kind = kinds[pages[((pageOf[code >> 8] as number) << 8) | (code & 255)] as number];
        if (kind === 1) marks++;
        else if (kind === 2) {
          closePart(at);
          done += text.slice(at, at + size);
          kept = copied = at + size;
        } else if (marks > 0) closeRun(at);
        at += size;
      }
      if (kept === 0 && copied === 0 && marks < LONG_MARK_RUN) return text.normalize(name);
      closePart(text.length);
      return done;
    };
    return { normalize, stableBelow };
  };
}

/** Start of the last `count` characters before `end`. */
function startOfMarks(text: string, end: number, count: number): number {
  let start = end;
  for (let i = 0; i < count; i++) start -= (text.charCodeAt(start - 1) & 0xfc00) === 0xdc00 ? 2 : 1;
  return start;
}

/** The code points that Unicode 9.0 had not assigned, as a set. */
function unassigned(): CodePointSet {
  const set: number[] = [];
  let at = 0;
  unassignedRuns.split(' ').forEach((length, i) => {
    const end = at + Number.parseInt(length, 36);
    if (i % 2 === 1) set.push(at, end - 1);
    at = end;
  });
  return set;
}
