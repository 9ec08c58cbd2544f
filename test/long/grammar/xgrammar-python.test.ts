// Masks of xgrammar 0.2.8 (PyPI) beside ours at each token of random texts. Its npm build is an older one: xgrammar.test.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { findVocabulary } from '../../../bench/grammar/vocabulary.js';
import { present } from '../../../src/base/index.js';
import { compileGbnf, createVocabulary, type TextState } from '../../../src/grammar/entry.js';
import { createRandom } from '../../grammar/sample.js';
import { installPython } from '../../support/python-packages.js';
import { gbnfGrammars, isSet, latin1, NO_UTF8 } from './gbnf-grammars.js';
import { toWords } from './packed-mask.js';
import { pickToken } from './random-tokens.js';

/** What masks need: torch and transformers, which the package asks for too, are not among it. */
const PACKAGES = [
  'xgrammar==0.2.8',
  '--no-deps',
  'annotated-types==0.8.0',
  'apache-tvm-ffi==0.1.15.post2',
  'numpy==2.4.6',
  'pydantic==2.14.4',
  'pydantic_core==2.50.5',
  'typing-extensions==4.16.0',
  'typing-inspection==0.4.5',
];
const NUM_TEXTS = 5;
/** Tokens of one random text. */
const STEPS = 40;

const installed = await installPython(PACKAGES);

if ('reason' in installed) it.skip(`masks of xgrammar of PyPI (skipped: ${installed.reason})`, () => undefined);
else await compareWith(installed.python);

async function compareWith(python: string): Promise<void> {
  const root = process.cwd();
  const { name, tokens, endTokenId } = await findVocabulary(root);
  const vocabulary = createVocabulary(tokens);
  const program = join(root, 'test', 'long', 'grammar', 'xgrammar_masks.py');
  const child = spawn(python, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const encoded = tokens.map((token) => (token === undefined ? null : Buffer.from(token).toString('base64')));
  child.stdin.write(`${JSON.stringify(encoded)}\n${endTokenId}\n`);
  afterAll(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  });

  const masksOf = async (gbnf: string, texts: readonly (readonly number[])[]): Promise<Uint32Array[][]> => {
    child.stdin.write(`${JSON.stringify({ gbnf, texts })}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the peer ended before it answered');
    const answer = JSON.parse(value) as { readonly error?: string; readonly texts?: readonly (readonly string[])[] };
    expect(answer.error).toBeUndefined();
    return (answer.texts ?? []).map((masks) => masks.map(toWords));
  };

  /** The tokens that one allows and the other refuses. */
  const differences = (ours: Uint32Array, theirs: Uint32Array, last: string): string[] =>
    tokens.flatMap((bytes, id) => {
      if (bytes === undefined || bytes.length === 0 || isSet(ours, id) === isSet(theirs, id)) return [];
      // Where a class excludes characters the peer takes bytes that no text has all the same.
      if (!isSet(ours, id) && NO_UTF8.test(last + latin1(bytes))) return [];
      return [`${id} ${JSON.stringify(new TextDecoder().decode(bytes))} ours ${isSet(ours, id)}`];
    });

  describe(`masks of xgrammar of PyPI over the vocabulary ${name}`, () => {
    it.each(gbnfGrammars)('%s: are ours at each token of random texts', async (_, gbnf) => {
      const random = createRandom(7);
      const start = compileGbnf(gbnf).start();
      const texts = Array.from({ length: NUM_TEXTS }, () => randomText(start, random));
      const masks = await masksOf(gbnf, texts);
      for (const [i, text] of texts.entries()) {
        const theirs = present(masks[i], 'each text has masks');
        expect(theirs).toHaveLength(text.length + 1);
        let state = start;
        let last = '';
        for (const [place, mask] of theirs.entries()) {
          expect(differences(state.mask(vocabulary), mask, last).slice(0, 10)).toEqual([]);
          expect(isSet(mask, endTokenId)).toBe(state.canEnd);
          const next = text[place];
          if (next === undefined) break;
          state = present(state.advance(next, vocabulary), 'the token is ours');
          last = (last + latin1(tokens[next])).slice(-3);
        }
      }
    });
  });

  function randomText(start: TextState, random: () => number): number[] {
    const ids: number[] = [];
    for (let state: TextState | undefined = start; state !== undefined && ids.length < STEPS;) {
      const mask = state.mask(vocabulary);
      if (mask.every((word) => word === 0)) break;
      const id = pickToken(mask, random);
      ids.push(id);
      state = state.advance(id, vocabulary);
    }
    return ids;
  }
}
