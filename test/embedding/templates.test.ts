import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convertCheckpoint } from '../../src/convert/index.js';
import { createEngine } from '../../src/index.js';
import { editJson } from '../convert/checkpoint.js';

const HELLO = [{ role: 'user' as const, content: 'Hello' }];
const ALPACA = /^Below is an instruction.*\n\n### Instruction:\nHello\n\n$/;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'template-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a chat template in place of the model’s own', () => {
  it('is the engine’s for all of its models, and a load’s before that', async () => {
    await using engine = await createEngine({ placement: 'inline', template: 'alpaca' });
    const model = await engine.load('demo');
    expect(await model.renderChat(HELLO)).toMatch(ALPACA);
    await model.close();
    const path = join(folder, 'own.jinja');
    writeFileSync(path, 'own: {{ messages[0].content }}');
    await using other = await engine.load('demo', { template: path });
    expect(await other.renderChat(HELLO)).toBe('own: Hello');
  });

  it('is shared by all who hold the model, who must agree, and stays while it makes room', async () => {
    await using engine = await createEngine({ placement: 'inline' });
    const first = await engine.load('demo', { template: 'vicuna' });
    await expect(engine.load('demo')).rejects.toMatchObject({
      code: 'invalid_option',
      message: 'the model demo is loaded with another chat template; close it first, or load it in another engine',
    });
    await expect(engine.load('demo', { template: 'alpaca' })).rejects.toMatchObject({ code: 'invalid_option' });
    await using second = await engine.load('demo', { template: 'vicuna' });
    await engine.unload('demo');
    expect(await second.renderChat(HELLO)).toContain('USER: Hello');
    await second.close();
    expect(await first.renderChat(HELLO)).toContain('USER: Hello');
    await first.close();
    await using own = await engine.load('demo');
    expect(await own.renderChat(HELLO)).toContain('<|im_start|>user');
  });

  it('gives the answers of the model’s own where it says the same', async () => {
    await using plain = await createEngine({ placement: 'inline' });
    const path = join(folder, 'demo.jinja');
    const thinking = '<think>\n\n</think>\n\n';
    writeFileSync(
      path,
      `{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{{ ${JSON.stringify(thinking)} }}{% endif %}`,
    );
    const ask = { messages: [{ role: 'user' as const, content: 'What is the capital of Norway?' }], temperature: 0 };
    await using own = await plain.load('demo');
    const expected = (await own.chat(ask)).choices;
    await own.close();
    await using given = await plain.load('demo', { template: path });
    expect((await given.chat(ask)).choices).toEqual(expected);
  });

  it('ends answers at the token that it ends turns with, which the vocabulary has as an ordinary one', async () => {
    const source = join(folder, 'checkpoint');
    cpSync(join(process.cwd(), 'assets/demo'), source, { recursive: true });
    editJson(source, 'tokenizer_config.json', (json) => {
      delete json['chat_template'];
      json['eos_token'] = '<|endoftext|>';
    });
    editJson(source, 'generation_config.json', (json) => delete json['eos_token_id']);
    editJson(source, 'config.json', (json) => delete json['eos_token_id']);
    editJson(source, 'tokenizer.json', (json) => {
      for (const token of json['added_tokens'] as { content: string; special: boolean }[]) {
        if (token.content === '<|im_end|>') token.special = false;
      }
    });
    const out = join(folder, 'ordinary');
    await convertCheckpoint({ source, out });
    await using engine = await createEngine({ placement: 'inline' });
    const template = join(folder, 'closed.jinja');
    const asked = '<|im_start|>assistant\n<think>\n\n</think>\n\n';
    writeFileSync(
      template,
      `{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{{ ${JSON.stringify(asked)} if add_generation_prompt }}`,
    );
    const ask = { messages: [{ role: 'user' as const, content: 'What is the capital of Norway?' }], temperature: 0 };
    await using model = await engine.load(out, { template });
    const [choice] = (await model.chat({ ...ask, max_tokens: 60 })).choices;
    await using demo = await engine.load('demo');
    const [expected] = (await demo.chat(ask)).choices;
    expect(choice).toEqual(expected);
    expect(choice?.finish_reason).toBe('stop');
  });

  it('is checked when the engine is made', async () => {
    await expect(createEngine({ template: 'chatlm' })).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(createEngine({ template: '' })).rejects.toThrow(/template is .*the name of a chat format/);
  });
});
