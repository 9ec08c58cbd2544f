// Sizes, times, tables and hints as people read them.
import { describe, expect, it } from 'vitest';
import { hints } from '../../src/bin/native-engine/hints.js';
import { agoText, countText, fitTable, parseDuration, parseNumbers, ranges, sizeText } from '../../src/cli/index.js';

describe('numbers', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1024 ** 2 - 1, '1.0 MiB'],
    [1.5 * 2 ** 30, '1.5 GiB'],
    [2 ** 52, '4096.0 TiB'],
  ])('%d bytes are %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));

  it.each([
    [0, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 minute ago'],
    [7_200_000, '2 hours ago'],
    [13 * 86_400_000, '1 week ago'],
    [400 * 86_400_000, '1 year ago'],
    [-5, 'just now'],
  ])('%d ms are %s', (ms, text) => expect(agoText(ms)).toBe(text));

  it('have commas between thousands', () => {
    expect([0, 999, 1000, 1234567].map(countText)).toEqual(['0', '999', '1,000', '1,234,567']);
  });

  it.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['2', 2000],
    ['1.5s', 1500],
    ['250ms', 250],
  ])('%s is a duration', (text, ms) => expect(parseDuration('--duration', text, { minMs: 100, maxMs: 1e6 })).toBe(ms));

  it.each(['', '-1s', '10', '1s ', 'soon', '1d', '0', '1ss', 's'])(
    '%j is no duration from 100 s on, or none',
    (text) => {
      const parse = (): number => parseDuration('--duration', text, { minMs: 100_000, maxMs: 1e6 });
      expect(parse).toThrow(/must be a duration such as 30s/);
    },
  );

  it('of a list are each once and in their range', () => {
    expect(parseNumbers('--concurrency', '1,4,1', ranges.concurrency, 4)).toEqual([1, 4]);
    expect(() => parseNumbers('--concurrency', '1,2,3', ranges.concurrency, 2)).toThrow(
      'has 3 numbers, but may have 2',
    );
  });
});

describe('a table', () => {
  const header = ['NAME', 'SIZE', 'MORE'];
  const rows = [['a-name-of-twenty-four-ch', '10', 'x'.repeat(10)]];
  const table = (width?: number) => fitTable(header, rows, { width, rightAligned: [1], droppable: [2] });

  it('has its natural width by default', () => expect(table()).toContain('x'.repeat(10)));

  it('leaves columns out first, and then cuts the name in its middle', () => {
    expect(table(42)).toContain('MORE');
    expect(table(41)).toBe('NAME                      SIZE\na-name-of-twenty-four-ch    10\n');
    expect(table(26)).toBe('NAME                  SIZE\na-name-of-…y-four-ch    10\n');
    expect(
      Math.max(
        ...table(5)
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBe(18);
  });
});

describe('hints', () => {
  const env = { OLLAMA_HOST: 'secret', OLLAMA_MODELS: '/m', OLLAMA_KEEP_ALIVE: '5m', PATH: '/bin' };

  it('name variables of Ollama that bear on a command, with ours, and not their values', () => {
    expect(hints('ps', ['ps'], env)).toEqual(['OLLAMA_HOST is set, and is not read here: use --host or TROUPE_HOST']);
    expect(hints('serve', ['serve'], env)).toHaveLength(3);
    expect(hints('tokenize', ['tokenize'], env)).toEqual([]);
    expect(hints('doctor', ['doctor'], env).join()).not.toContain('secret');
  });

  it('are silent where ours is given', () => {
    expect(hints('serve', ['serve', '--host=0.0.0.0'], { OLLAMA_HOST: 'x' })).toEqual([]);
    expect(hints('list', ['list'], { OLLAMA_MODELS: '/m', TROUPE_MODELS: '/n' })).toEqual([]);
    expect(hints('list', ['list', '--models-dir', 'x'], { OLLAMA_MODELS: '/m' })).toEqual([]);
  });
});
