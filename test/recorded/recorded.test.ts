import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parts, record, type Answers } from './record.js';

// Answers that were recorded before the code was reshaped (SOURCE.md): what clients see stays as it was, byte for byte.
const VECTORS = join(process.cwd(), 'test/vectors/recorded');

describe.each(parts)('the recorded corpus: %s', (part) => {
  it('is answered as it was', async () => {
    const recorded = JSON.parse(readFileSync(join(VECTORS, `${part}.json`), 'utf8')) as Answers;
    const answers = await record(part, process.cwd());
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
