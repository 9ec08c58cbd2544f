// Finds runs of lines that stand twice in the sources: a copy that should be one function, or has a reason.

/** A file as its text; `path` is relative to the repository. */
export interface DuplicateSource {
  readonly path: string;
  readonly text: string;
}

/** The same lines in two places; `length` counts lines that say something. */
export interface Duplicate {
  readonly first: string;
  readonly firstLine: number;
  readonly second: string;
  readonly secondLine: number;
  readonly length: number;
}

/** A line that says something: no blank, comment, import or lone punctuation. `number` counts from 1. */
interface Line {
  readonly text: string;
  readonly number: number;
}

/** The longest run that each pair of files shares, of `least` lines or more; a file may share one with itself. */
export function findDuplicates(files: readonly DuplicateSource[], least = 6): Duplicate[] {
  const lines = files.map(({ path, text }) => ({ path, lines: tellingLines(text) }));
  const seen = new Map<string, { file: number; at: number }[]>();
  const longest = new Map<string, Duplicate>();
  for (const [file, here] of lines.entries()) {
    for (let at = 0; at + least <= here.lines.length; at++) {
      const key = here.lines
        .slice(at, at + least)
        .map(({ text }) => text)
        .join('\n');
      const before = seen.get(key) ?? [];
      for (const other of before) note(lines, other, { file, at }, longest, least);
      seen.set(key, [...before, { file, at }]);
    }
  }
  return [...longest.values()];
}

/** Keeps the run that begins at two places if it is the longest of its pair of files. */
function note(
  files: readonly { readonly path: string; readonly lines: readonly Line[] }[],
  a: { file: number; at: number },
  b: { file: number; at: number },
  longest: Map<string, Duplicate>,
  least: number,
): void {
  const first = files[a.file];
  const second = files[b.file];
  if (first === undefined || second === undefined) return;
  // A run does not overlap itself.
  const most = a.file === b.file ? b.at - a.at : Infinity;
  if (most < least) return;
  let length = 0;
  while (length < most && isSame(first.lines[a.at + length], second.lines[b.at + length])) length++;
  const key = `${first.path} ${second.path}`;
  if (length <= (longest.get(key)?.length ?? 0)) return;
  const [firstLine, secondLine] = [first.lines[a.at]?.number ?? 0, second.lines[b.at]?.number ?? 0];
  longest.set(key, { first: first.path, firstLine, second: second.path, secondLine, length });
}

function isSame(a: Line | undefined, b: Line | undefined): boolean {
  return a !== undefined && a.text === b?.text;
}

function tellingLines(text: string): Line[] {
  const lines: Line[] = [];
  let isImport = false;
  for (const [i, line] of text.split('\n').entries()) {
    const told = line.trim().replaceAll(/\s+/g, ' ');
    if (/^(?:import|export)\b(?!.*\b(?:function|const|class|interface|type \w+ =))/.test(told)) isImport = true;
    const isTold = !isImport && /\w/.test(told) && !/^(?:\/\/|\/\*|\*)/.test(told);
    if (isImport && told.endsWith(';')) isImport = false;
    if (isTold) lines.push({ text: told, number: i + 1 });
  }
  return lines;
}
