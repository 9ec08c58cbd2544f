import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileTokenizer, loadTokenizer, openTokenizer, tokenizerCodes } from '../../src/tokenizer/index.js';
import { bytesSpec, codeOf, openSpec, readJson } from './sample.js';

describe('tokenizer.bin', () => {
  const file = compileTokenizer(readJson('addedmix'));

  it('cut short anywhere is tokenizer_invalid', () => {
    for (let size = 0; size < file.length; size += size < 200 ? 1 : 97) {
      expect(codeOf(() => openTokenizer(file.subarray(0, size)))).toBe('tokenizer_invalid');
    }
  });

  it('changed anywhere is tokenizer_invalid', () => {
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = file.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(codeOf(() => openTokenizer(changed))).toBe('tokenizer_invalid');
      }),
      { numRuns: 1000, seed: 1 },
    );
  });

  it('changed with a checksum made to fit is refused, or works without a crash or a hang', () => {
    const words = new Int32Array(file.buffer, file.byteOffset, file.length / 4);
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 4, max: 60 }), fc.integer({ min: 4, max: words.length - 1 })),
        fc.oneof(fc.integer(), fc.constantFrom(0, -1, 1, 0x7fffffff, -0x80000000, 65_536)),
        (at, value) => {
          const changed = file.slice();
          const view = new Int32Array(changed.buffer);
          view[at] = value;
          view[3] = checksum(view);
          const code = codeOf(() => {
            const tokenizer = openTokenizer(changed);
            tokenizer.decode(tokenizer.encode('The lighthouse keeper <|a|> 1320 é'));
            tokenizer.tokenToId('the');
          });
          expect(['none', 'tokenizer_invalid', 'unsupported_tokenizer']).toContain(code);
        },
      ),
      { numRuns: 1500, seed: 2 },
    );
  });

  /** The checksum as the format has it, written again. */
  function checksum(words: Int32Array): number {
    let sum = 0;
    for (const word of words.subarray(4)) {
      sum = Math.imul(sum ^ word, 0x9e3779b1);
      sum ^= sum >>> 15;
    }
    return sum | 0;
  }

  it('opens from shared memory', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(file.length));
    shared.set(file);
    const tokenizer = openTokenizer(shared);
    expect(tokenizer.decode(tokenizer.encode('hello there'))).toBe('hello there');
  });
});

describe('tokenizer.json', () => {
  const model = { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'] };
  const decodedBy = (decoder: object): object => ({ pre_tokenizer: null, decoder: { type: 'Sequence', ...decoder } });
  const added = (token: object): object => bytesSpec({ added_tokens: [{ id: 300, content: 'xyz', ...token }] });

  it.each<[string, object]>([
    ['no model', { model: null }],
    ['an empty vocabulary', { model: { ...model, vocab: {} } }],
    ['an id twice', { model: { ...model, vocab: { a: 0, b: 0 } } }],
    ['an id that is no integer', { model: { ...model, vocab: { a: 0.5 } } }],
    ['a negative id', { model: { ...model, vocab: { a: -1 } } }],
    ['an id past the limit', { model: { ...model, vocab: { a: 2 ** 32 } } }],
    ['a merge of unknown tokens', { model: { ...model, merges: ['a c'] } }],
    ['a merge that is no pair', { model: { ...model, merges: ['a b c'] } }],
    ['merges that are no list', { model: { ...model, merges: 7 } }],
    ['a token past the limit', { model: { ...model, vocab: { a: 0, ['b'.repeat(9000)]: 1 } } }],
    ['an added token that is no object', { added_tokens: [7] }],
    ['an added token past the limit', added({ content: 'x'.repeat(600) })],
    ['an added token with the id of another', added({ id: 3 })],
    ['a flag that is neither true nor false', added({ lstrip: 'yes' })],
    ['an unknown behaviour', { pre_tokenizer: { type: 'Split', pattern: { String: 'x' }, behavior: 'Eaten' } }],
    [
      'a template with an unknown token',
      { post_processor: { type: 'TemplateProcessing', special_tokens: {}, single: [{ SpecialToken: { id: 'x' } }] } },
    ],
  ])('with %s is tokenizer_invalid', (_, changes) => {
    expect(
      codeOf(() =>
        openSpec(
          'model' in changes || !('pre_tokenizer' in changes) ? { ...bytesSpec(), ...changes } : bytesSpec(changes),
        ),
      ),
    ).toBe('tokenizer_invalid');
  });

  it.each<[string, object]>([
    ['WordPiece', { model: { type: 'WordPiece', vocab: { a: 0 } } }],
    ['bytes made and text decoded', { decoder: { type: 'ByteFallback' } }],
    ['text made and bytes decoded', { pre_tokenizer: null }],
    ['ByteLevel in a chain', { decoder: { type: 'Sequence', decoders: [{ type: 'Fuse' }, { type: 'ByteLevel' }] } }],
    [
      'a Strip at the end',
      decodedBy({ decoders: [{ type: 'Fuse' }, { type: 'Strip', content: ' ', start: 0, stop: 1 }] }),
    ],
    ['a Strip of tokens', decodedBy({ decoders: [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] })],
    [
      'a Replace after Fuse',
      decodedBy({ decoders: [{ type: 'Fuse' }, { type: 'Replace', pattern: { String: 'a' }, content: 'b' }] }),
    ],
    ['dropout', { model: { ...model, dropout: 0.1 } }],
    ['byte fallback of bytes', { model: { ...model, byte_fallback: true } }],
    ['a type named like a part of every object', { normalizer: { type: 'constructor' } }],
  ])('that needs %s is unsupported_tokenizer', (_, changes) => {
    expect(codeOf(() => openSpec(bytesSpec(changes)))).toBe('unsupported_tokenizer');
  });

  it('that is no JSON, or cut short, is tokenizer_invalid', () => {
    const text = readJson('addedmix');
    expect(codeOf(() => compileTokenizer(text.slice(0, 5000)))).toBe('tokenizer_invalid');
    expect(codeOf(() => compileTokenizer(''))).toBe('tokenizer_invalid');
    expect(codeOf(() => compileTokenizer('[]'))).toBe('tokenizer_invalid');
  });

  it('finds tokens by name: added ones, plain ones, ones of the byte alphabet', () => {
    const tokenizer = openSpec(JSON.parse(readJson('addedmix')) as object);
    expect(tokenizer.tokenToId('<|a|>')).toBe(500);
    expect(tokenizer.tokenToId('Ġ')).toBe(220);
    expect(tokenizer.tokenToId('no such token')).toBeUndefined();
  });

  it('a text past the limit is text_too_long', () => {
    const tokenizer = openSpec(bytesSpec());
    expect(codeOf(() => tokenizer.encode('a'.repeat((1 << 26) + 1)))).toBe('text_too_long');
  });
});

describe('loadTokenizer', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tokenizer-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('answers tokenizer_not_found for a directory without one, and for none', async () => {
    await expect(loadTokenizer(directory)).rejects.toMatchObject({ code: 'tokenizer_not_found' });
    await expect(loadTokenizer(join(directory, 'absent'))).rejects.toMatchObject({ code: 'tokenizer_not_found' });
  });

  it('prefers tokenizer.bin', async () => {
    await writeFile(join(directory, 'tokenizer.json'), '{}');
    await expect(loadTokenizer(directory)).rejects.toMatchObject({ code: 'tokenizer_invalid' });
    await writeFile(join(directory, 'tokenizer.bin'), compileTokenizer(readJson('smollm')));
    expect((await loadTokenizer(directory)).vocabSize).toBe(600);
  });

  it('the table has every error code of the module', () => {
    expect(Object.keys(tokenizerCodes).toSorted()).toEqual([
      'text_too_long',
      'tokenizer_invalid',
      'tokenizer_not_found',
      'unsupported_tokenizer',
    ]);
  });
});
