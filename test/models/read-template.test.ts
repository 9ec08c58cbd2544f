import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatFormats } from '../../src/chat/index.js';
import { readTemplate } from '../../src/models/index.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'template-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe('a chosen template', () => {
  it.each(Object.entries(chatFormats))('%s is a chat format', async (name, { template }) => {
    expect(await readTemplate(name)).toBe(template);
  });

  it('is a file where it has a slash or ends in .jinja', async () => {
    const text = '\n{{ messages[0].content }}\n';
    expect(await readTemplate(write('own.txt', text))).toBe(text);
    expect(await readTemplate(write('own.jinja', `\uFEFF${text}`))).toBe(text);
    await expect(readTemplate('absent.jinja')).rejects.toMatchObject({ code: 'path_invalid' });
  });

  it.each(['chatlm', 'ChatML', 'toString', 'own.txt'])('%s is neither, which says what there is', async (asked) => {
    await expect(readTemplate(asked, '--template')).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(
        /^--template is ".*"; it must be one of chatml, llama2, .*, vicuna, or a file: a path with a slash, or that ends in \.jinja\./,
      ) as string,
    });
    if (asked === 'chatlm') await expect(readTemplate(asked)).rejects.toThrow(/Did you mean chatml\?$/);
  });

  it('is refused with its path where it is no template', async () => {
    const broken = write('broken.jinja', '{% for %}');
    await expect(readTemplate(broken)).rejects.toMatchObject({ code: 'template_error', details: { path: broken } });
    await expect(readTemplate(broken)).rejects.toThrow(broken);
    const binary = write('binary.jinja', Uint8Array.of(0xff, 0xfe, 0x00));
    await expect(readTemplate(binary)).rejects.toThrow(`${binary}: it is no UTF-8 text`);
    const large = write('large.jinja', 'x'.repeat(2 ** 20 + 1));
    await expect(readTemplate(large)).rejects.toMatchObject({ code: 'template_too_large' });
    const huge = write('huge.jinja', 'x'.repeat(2 ** 22 + 1));
    await expect(readTemplate(huge)).rejects.toThrow(/has 4194305 bytes; the limit of a chat template is 4194304/);
    mkdirSync(join(folder, 'folder.jinja'));
    await expect(readTemplate(join(folder, 'folder.jinja'))).rejects.toMatchObject({ code: 'path_invalid' });
  });
});
