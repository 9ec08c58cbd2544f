import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProgram, runHere } from '../e2e/run-here.js';
import { parts, record, type Answers, type RunCommand } from './record.js';

// Answers that were recorded before the code was reshaped (SOURCE.md): what clients see stays as it was, byte for byte.
const VECTORS = join(process.cwd(), 'test/vectors/recorded');

/** In this process: most commands print a help or a refusal, and starting Node takes far longer. */
const runCommand: RunCommand = async ({ binary = 'native-engine', args, input }, _, env) => {
  const program = isProgram(binary) ? binary : expect.fail(`${binary} is no program of the package`);
  const { code, stdout, stderr } = await runHere(args, env.HOME, input, { program, env, cwd: env.HOME });
  return { status: code, stdout, stderr };
};

describe.each(parts)('the recorded corpus: %s', (part) => {
  it('is answered as it was', async () => {
    const recorded = JSON.parse(readFileSync(join(VECTORS, `${part}.json`), 'utf8')) as Answers;
    const answers = await record(part, process.cwd(), runCommand);
    expect(Object.keys(answers)).toEqual(Object.keys(recorded));
    const changed = Object.keys(recorded).filter(
      (name) => JSON.stringify(answers[name]) !== JSON.stringify(recorded[name]),
    );
    // Whole cases, so that a difference is seen where it is.
    expect(pick(answers, changed)).toEqual(pick(recorded, changed));
    expect(changed).toEqual([]);
  });
});

function pick(answers: Answers, names: readonly string[]): Answers {
  return Object.fromEntries(names.map((name) => [name, answers[name]]));
}
