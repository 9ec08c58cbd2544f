import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createTemporaryDirectory } from './processes.js';
import { runHere } from './run-here.js';

const home = createTemporaryDirectory();
afterAll(home.remove);

const schema = join(home.path, 'city.json');
writeFileSync(
  schema,
  JSON.stringify({
    type: 'object',
    properties: { city: { enum: ['Oslo', 'Rome'] }, country: { const: 'Norway' } },
    required: ['city', 'country'],
    additionalProperties: false,
  }),
);
const QUESTION = 'What is the capital of Norway?';
const run = (...args: string[]) => runHere(['run', 'demo', '--temperature', '0', ...args, QUESTION], home.path);

describe('native-engine run with a format', () => {
  it('prints JSON that fits the schema of a file and nothing else, also after thinking', async () => {
    for (const think of ['--no-think', '--think']) {
      const { code, stdout, stderr } = await run('--format', schema, think);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/\}\n$/);
      expect(JSON.parse(stdout)).toEqual({ city: 'Oslo', country: 'Norway' });
    }
  });

  it('answers the example of its help with what was asked for, whatever the seed', async () => {
    const help = await runHere(['run', '--help'], home.path);
    const example =
      /run demo --format json[\s\\]+"([^"]+)"/.exec(help.stdout)?.[1] ?? expect.fail('help has an example');
    for (const seed of ['1', '2', '3']) {
      const { code, stdout } = await runHere(['run', 'demo', '--format', 'json', '--seed', seed, example], home.path);
      expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({
        code: 0,
        answer: { name: 'Rosa', city: 'Lima' },
      });
    }
  });

  it('ends with an error where the JSON is cut', async () => {
    const { code, stdout, stderr } = await run('--format', 'json', '--no-think', '--max-tokens', '4');
    expect(stdout).toMatch(/^\{/);
    expect(stderr).toMatch(/\nerror: the answer was cut after 4 tokens.*\ncode: answer_incomplete\n$/);
    expect(code).toBe(2);
  });

  it('refuses a schema before it loads a model', async () => {
    const { code, stdout, stderr } = await runHere(['run', './nothing', '--format', './nothing.json', 'x'], home.path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: \.\/nothing\.json cannot be read: .*\ncode: path_invalid\n$/);
  });
});
