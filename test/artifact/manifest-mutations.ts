import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { AppError } from '../../src/base/index.js';
import { openArtifact } from '../../src/artifact/index.js';

const values =
  '0 -1 1 1e400 0.5 2147483648 4294967296 9007199254740992 9223372036854775808 18446744073709551615 null true "" "../x" [] {} "q4" "vector" "weights.bin"'.split(
    ' ',
  );
const change = fc.oneof(
  fc.record({ kind: fc.constant('value' as const), at: fc.nat(), by: fc.constantFrom(...values) }),
  fc.record({ kind: fc.constant('byte' as const), at: fc.nat(), by: fc.nat(127).map((n) => String.fromCharCode(n)) }),
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat(), by: fc.constant('') }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), by: fc.constant('') }),
);

function apply(text: string, { kind, at, by }: { kind: string; at: number; by: string }): string {
  const lines = text.split('\n');
  const line = at % lines.length;
  if (kind === 'value') lines[line] = (lines[line] ?? '').replace(/(: ?)?("[^"]*"|\d+)(,?)$/, `$1${by}$3`);
  else if (kind === 'drop') lines.splice(line, 1);
  else if (kind === 'cut') return text.slice(0, at % text.length);
  else return text.slice(0, at % text.length) + by + text.slice((at % text.length) + 1);
  return lines.join('\n');
}

/**
 * Mutates the manifest of `directory` `numRuns` times: each opens and loads, or is refused with one of our codes.
 * Returns how many opened.
 */
export async function mutateManifests(directory: string, numRuns: number): Promise<number> {
  const path = join(directory, 'manifest.json');
  const valid = readFileSync(path, 'utf8');
  const expected = ['artifact_invalid', 'artifact_corrupt', 'artifact_version'];
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      writeFileSync(path, changes.reduce(apply, valid));
      try {
        await using artifact = await openArtifact(directory);
        await artifact.verifyWeights();
        opened++;
        return true;
      } catch (error) {
        return error instanceof AppError && expected.includes(error.code);
      }
    }),
    { numRuns },
  );
  writeFileSync(path, valid);
  return opened;
}
