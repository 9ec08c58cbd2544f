import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppError, fromErrorData, isAppError, toErrorData } from '../../src/index.js';
import { readSourceTree } from '../repo/source-tree.js';

/** What fixtures/realm.ts prints. */
interface Seen {
  readonly isForeign: boolean;
  readonly answer: string;
  readonly errors: Readonly<Record<string, { code: string; isOurs: boolean; isError: boolean }>>;
}

describe('errors', () => {
  let seen: Seen;

  beforeAll(() => {
    const fixture = fileURLToPath(new URL('fixtures/realm.js', import.meta.url));
    const printed = execFileSync(process.execPath, ['--experimental-vm-modules', '--no-warnings', fixture], {
      encoding: 'utf8',
    });
    seen = JSON.parse(printed);
  });

  it('keep their codes where the library runs in another realm, as under jest', () => {
    // Else this suite would not test what it says.
    expect(seen.isForeign).toBe(true);
    expect(seen.errors).toEqual({
      'a misspelt option': { code: 'invalid_option', isOurs: true, isError: true },
      'a name that nothing has': { code: 'artifact_not_found', isOurs: true, isError: true },
      'a request that does not fit': { code: 'context_length_exceeded', isOurs: true, isError: true },
      'a deadline, kept by another thread': { code: 'deadline_exceeded', isOurs: true, isError: true },
      'an embedding of too many tokens': { code: 'context_length_exceeded', isOurs: true, isError: true },
      'a directory without a tokenizer': { code: 'tokenizer_not_found', isOurs: true, isError: true },
    });
    expect(seen.answer).toContain('Oslo');
  });

  it('are recognised by a brand that others do not have', () => {
    const error = new AppError('queue_full', 'full', { limit: 3 });
    expect(isAppError(error)).toBe(true);
    for (const other of [new Error('x'), { code: 'queue_full', name: 'AppError' }, null, 'x', undefined]) {
      expect(isAppError(other)).toBe(false);
    }
  });

  it('cross threads as data', () => {
    const data = structuredClone(toErrorData(new AppError('queue_full', 'full', { limit: 3 })));
    expect(fromErrorData(data)).toMatchObject({ code: 'queue_full', message: 'full', details: { limit: 3 } });
    expect(isAppError(fromErrorData(data))).toBe(true);
  });

  it('are never told by instanceof in our own code, which is false for those of another realm', () => {
    const tellers = readSourceTree(['src']).filter(({ path, text }) => {
      return path !== 'src/base/errors.ts' && /instanceof (?:AppError|Error)\b/.test(text);
    });
    expect(tellers.map(({ path }) => path)).toEqual([]);
  });
});
