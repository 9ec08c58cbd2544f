// What was typed and written, as lines of a terminal with the time of every character. Pure.

import type { RecordedCommand } from './record-command.js';

/** A line and when it grew: at `atMs` its first `length` characters are there. */
export interface ScreenLine {
  readonly text: string;
  readonly kind: 'command' | 'output';
  readonly growth: readonly { readonly atMs: number; readonly length: number }[];
}

/** The screen at its end, with the time when it begins again. */
export interface Screen {
  readonly lines: readonly ScreenLine[];
  readonly durationMs: number;
}

/** Width of the terminal in characters. */
export const COLUMNS = 76;
const PROMPT = '$ ';
/** Between one answer and the next command. */
const EMPTY: ScreenLine = { text: '', kind: 'output', growth: [] };
/** How fast the commands are typed; output keeps its recorded times. */
const KEY_MS = 32;
const BEFORE_MS = 600;
const AFTER_MS = 1200;
const LAST_MS = 4000;

/** Commands one after the other, each typed and then answered as it was recorded. */
export function toScreen(
  commands: readonly { readonly command: string; readonly recorded: RecordedCommand }[],
): Screen {
  let nowMs = 0;
  const lines = commands.flatMap(({ command, recorded }) => {
    const startMs = nowMs;
    const typed = toTyped(command, startMs);
    const enterMs = (typed.growth.at(-1)?.atMs ?? nowMs) + KEY_MS;
    const output = toOutput(recorded, enterMs);
    nowMs = enterMs + recorded.endMs + AFTER_MS;
    return [...(startMs === 0 ? [] : [EMPTY]), typed, ...output];
  });
  return { lines, durationMs: nowMs + LAST_MS };
}

function toTyped(command: string, startMs: number): ScreenLine {
  const keys = Array.from({ length: command.length }, (_, i) => ({
    atMs: startMs + BEFORE_MS + i * KEY_MS,
    length: PROMPT.length + i + 1,
  }));
  return { text: PROMPT + command, kind: 'command', growth: [{ atMs: startMs, length: PROMPT.length }, ...keys] };
}

/** Output by lines of at most COLUMNS characters, broken at spaces; the empty line at its end is left out. */
function toOutput({ pieces }: RecordedCommand, startMs: number): ScreenLine[] {
  const text = pieces.map((piece) => piece.text).join('');
  // eslint-disable-next-line no-control-regex -- an escape sequence begins with this character
  if (/[\u001b\b]/.test(text)) throw new Error('the output has escape sequences, which are not drawn');
  const times = pieces.flatMap((piece) => Array.from({ length: piece.text.length }, () => startMs + piece.atMs));
  const lines: ScreenLine[] = [];
  let from = 0;
  for (const written of text.split('\n')) {
    const whole = written.replaceAll('\r', '');
    let at = from;
    for (const part of wrap(whole)) {
      const growth = growthOf(times.slice(at, at + part.length));
      lines.push({ text: part.trimEnd(), kind: 'output', growth });
      at += part.length;
    }
    from += written.length + 1;
  }
  while (lines.at(-1)?.text === '') lines.pop();
  return lines;
}

function wrap(line: string): string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > COLUMNS) {
    const space = rest.lastIndexOf(' ', COLUMNS);
    const cut = space > 0 ? space + 1 : COLUMNS;
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}

/** One step for all characters that came together. */
function growthOf(times: readonly number[]): ScreenLine['growth'] {
  return times.flatMap((atMs, i) => (times[i + 1] === atMs ? [] : [{ atMs, length: i + 1 }]));
}
