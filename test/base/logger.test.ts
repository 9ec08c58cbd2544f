import { expect, it } from 'vitest';
import { createLogger, type Clock, type LoggerOptions } from '../../src/base/index.js';

const clock: Clock = { nowMs: () => 0, unixSeconds: () => 86_400, after: () => () => {} };

function logged(
  entry: { event: string; [name: string]: string | number },
  options: Partial<LoggerOptions> = {},
): string[] {
  const lines: string[] = [];
  createLogger({ sink: (line) => lines.push(line), clock, ...options }).log('info', entry);
  return lines;
}

it('a logger writes one JSON object a line, time first', () => {
  expect(logged({ event: 'import', model: 'a b', doneBytes: 3 })).toEqual([
    '{"time":"1970-01-02T00:00:00.000Z","event":"import","model":"a b","doneBytes":3}',
  ]);
});

it('a logger writes text in which no value can pass for another, nor for a line', () => {
  expect(logged({ event: 'import', model: 'a\nb=c', doneBytes: 3, id: 'x' }, { format: 'text' })).toEqual([
    '1970-01-02T00:00:00.000Z INFO import model="a\\nb=c" doneBytes=3 id=x',
  ]);
});

it('a logger drops what matters less than is wanted', () => {
  expect(logged({ event: 'import' }, { least: 'warn' })).toEqual([]);
});

it('a logger shows no prompt and no key, but counts of tokens', () => {
  const [line = ''] = logged({
    event: 'request',
    prompt: 'hush',
    api_key: 'sk-1',
    authorization: 'x',
    prompt_tokens: 5,
  });
  expect(JSON.parse(line)).toMatchObject({
    prompt: '[left out]',
    api_key: '[left out]',
    authorization: '[left out]',
    prompt_tokens: 5,
  });
});
