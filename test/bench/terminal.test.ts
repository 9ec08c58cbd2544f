import { expect, it } from 'vitest';
import { COLUMNS, toScreen } from '../../bench/terminal/screen.js';
import { drawScreen } from '../../bench/terminal/terminal-svg.js';

const recorded = (...pieces: [number, string][]) => ({
  pieces: pieces.map(([atMs, text]) => ({ atMs, text })),
  endMs: 500,
});

it('a command is typed, and its output comes at the times at which it came', () => {
  const { lines, durationMs } = toScreen([{ command: 'ls', recorded: recorded([100, 'ab'], [200, 'c\r\nd\r\n']) }]);
  expect(lines.map(({ text, kind }) => [text, kind])).toEqual([
    ['$ ls', 'command'],
    ['abc', 'output'],
    ['d', 'output'],
  ]);
  const enterMs = (lines[1]?.growth[0]?.atMs ?? 0) - 100;
  expect(enterMs).toBeGreaterThan(lines[0]?.growth.at(-1)?.atMs ?? Infinity);
  expect(lines[1]?.growth).toEqual([
    { atMs: enterMs + 100, length: 2 },
    { atMs: enterMs + 200, length: 3 },
  ]);
  expect(durationMs).toBeGreaterThan(enterMs + 500);
});

it('long lines are broken at spaces, and an empty line stands before the next command', () => {
  const long = 'word '.repeat(30).trim();
  const { lines } = toScreen([
    { command: 'a', recorded: recorded([1, long]) },
    { command: 'b', recorded: recorded([1, 'x']) },
  ]);
  expect(lines.every(({ text }) => text.length <= COLUMNS)).toBe(true);
  expect(
    lines
      .slice(1, 3)
      .map(({ text }) => text)
      .join(' '),
  ).toBe(long);
  expect(lines.slice(3).map(({ text }) => text)).toEqual(['', '$ b', 'x']);
});

it('output with escape sequences is refused', () => {
  expect(() => toScreen([{ command: 'a', recorded: recorded([1, '\u001b[2m']) }])).toThrow(/escape sequences/);
});

it('the picture escapes text, says how it is made, and its times go from 0 to 1', () => {
  const svg = drawScreen(toScreen([{ command: 'echo "<&>"', recorded: recorded([10, '<&>\r\n']) }]), 'A & B');
  expect(svg).toContain('&lt;&amp;&gt;');
  expect(svg).not.toMatch(/NaN|undefined/);
  expect(/<!--(.*?)-->/.exec(svg)?.[1]).not.toContain('--');
  for (const [, times = ''] of svg.matchAll(/keyTimes="([^"]+)"/g)) {
    const values = times.split(';').map(Number);
    expect(values[0]).toBe(0);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values.at(-1)).toBeLessThan(1);
  }
});
