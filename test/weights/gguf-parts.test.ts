import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { text, u32, type TypedValue } from '../../bench/gguf/gguf-writer.js';
import { isAppError } from '../../src/base/index.js';
import { listParts, openGguf, readPartName } from '../../src/weights/index.js';
import { ggufFile } from './gguf-file.js';
import { inDirectory } from './safetensors-file.js';

const nameOf = (number: number, count = 3): string =>
  `m-${String(number).padStart(5, '0')}-of-${String(count).padStart(5, '0')}.gguf`;

const split = (number: number, count = 3, numTensors = 3): Record<string, TypedValue> => ({
  'split.no': { type: 'u16', value: number },
  'split.count': { type: 'u16', value: count },
  'split.tensors.count': { type: 'i32', value: numTensors },
});

/** Part `index` of three, as gguf-split writes them: a tensor each, and what is said of the model in the first. */
const part = (index: number, metadata: Record<string, TypedValue> = split(index), tensor = `t${index}`): Buffer =>
  ggufFile({
    metadata: { ...(index === 0 && { 'general.architecture': text('llama'), 'sample.count': u32(7) }), ...metadata },
    tensors: [
      {
        name: tensor,
        type: 'F32',
        shape: [2, 4],
        bytes: new Uint8Array(Float32Array.from({ length: 8 }, (_, i) => index * 10 + i).buffer),
      },
    ],
  });

const parts = { [nameOf(1)]: part(0), [nameOf(2)]: part(1), [nameOf(3)]: part(2) };

describe('a model in parts', () => {
  it.each([1, 2, 3])('is read whole by the name of part %i', (number) =>
    inDirectory(parts, async (directory) => {
      await using source = await openGguf(join(directory, nameOf(number)));
      expect([...source.tensors.keys()]).toEqual(['t0', 't1', 't2']);
      expect(source.metadata.get('sample.count')).toBe(7);
      for (const index of [2, 0, 1]) {
        const out = new Float32Array(3);
        await source.readFloats(`t${index}`, 1, 3, out);
        expect([...out]).toEqual([1, 2, 3].map((i) => index * 10 + i));
        const bytes = new Uint8Array(4);
        await source.readBytes(`t${index}`, 4, bytes);
        expect(new Float32Array(bytes.buffer)[0]).toBe(index * 10 + 1);
      }
      await expect(source.readFloats('t3', 0, 1, new Float32Array(1))).rejects.toMatchObject({
        code: 'tensor_not_found',
      });
      expect(await listParts(join(directory, nameOf(number)))).toEqual(
        [1, 2, 3].map((n) => join(directory, nameOf(n))),
      );
    }),
  );

  it('names the part that is missing', () =>
    inDirectory(parts, async (directory) => {
      rmSync(join(directory, nameOf(2)));
      for (const number of [1, 3]) {
        await expect(openGguf(join(directory, nameOf(number)))).rejects.toMatchObject({
          code: 'checkpoint_not_found',
          message: expect.stringMatching(
            /m-00002-of-00003\.gguf is missing: put all parts into one directory/,
          ) as string,
        });
      }
      expect(await listParts(join(directory, nameOf(1)))).toEqual([join(directory, nameOf(1))]);
    }));

  it.each([
    [
      'a name without its number',
      { 'other.gguf': part(1) },
      'other.gguf',
      /part 2 of 3; its name must end in -00002-of-00003\.gguf/,
    ],
    [
      'the name of another count',
      { [nameOf(1, 2)]: part(0), [nameOf(2, 2)]: part(1) },
      nameOf(1, 2),
      /part 1 of 3; its name/,
    ],
    [
      'a part twice',
      { ...parts, [nameOf(3)]: part(1) },
      nameOf(1),
      /says that it is part 3 of 3, its header part 2 of 3/,
    ],
    [
      'a part of another model',
      { ...parts, [nameOf(3)]: part(2, split(2, 4)) },
      nameOf(1),
      /part 3 of 3, its header part 3 of 4/,
    ],
    [
      'a whole file among its parts',
      { ...parts, [nameOf(2)]: part(1, {}) },
      nameOf(1),
      /part 2 of 3, its header part 1 of 1/,
    ],
    [
      'a tensor twice',
      { ...parts, [nameOf(3)]: part(2, split(2), 't0') },
      nameOf(1),
      /another part has its tensor "t0" too/,
    ],
    [
      'a tensor too few',
      { ...parts, [nameOf(1)]: part(0, split(0, 3, 4)) },
      nameOf(1),
      /have 3 tensors together, and it says that they have 4/,
    ],
    [
      'a part that is cut',
      { ...parts, [nameOf(2)]: part(1).subarray(0, -9) },
      nameOf(3),
      /m-00002-of-00003\.gguf.*truncated/,
    ],
  ])('with %s is refused', (_, files, name, why) =>
    inDirectory(files, async (directory) => {
      await expect(openGguf(join(directory, name))).rejects.toMatchObject({
        code: 'checkpoint_invalid',
        message: expect.stringMatching(why) as string,
      });
    }),
  );

  it('is read or refused by name, however its parts are changed', () =>
    inDirectory(parts, (directory) =>
      fc.assert(
        fc.asyncProperty(fc.constantFrom(1, 2, 3), fc.nat(), fc.nat({ max: 255 }), async (number, at, byte) => {
          const changed = Buffer.from(parts[nameOf(number)] ?? '');
          changed[at % changed.length] = byte;
          writeFileSync(join(directory, nameOf(number)), changed);
          try {
            await using _ = await openGguf(join(directory, nameOf(1)));
          } catch (error) {
            expect(isAppError(error) && error.code).toBe('checkpoint_invalid');
          } finally {
            writeFileSync(join(directory, nameOf(number)), parts[nameOf(number)] ?? '');
          }
        }),
        { numRuns: 500 },
      ),
    ));

  it.each(['m.gguf', 'm-1-of-2.gguf', nameOf(1, 1), nameOf(0), nameOf(4), nameOf(1, 1001), '-00001-of-00002.gguf'])(
    '%s is the name of no part',
    (name) => expect(readPartName(name)).toBe(undefined),
  );
});
