import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convertCheckpoint } from '../../src/convert/index.js';
import { createEngine } from '../../src/index.js';
import { createTemporaryDirectory, ended, hasPty, openScreen, startCli } from './processes.js';
import { runHere } from './run-here.js';

const home = createTemporaryDirectory();
const models = join(home.path, 'models');
const base = join(models, 'base');
/** Where the engine runs changes nothing of what is said here, and starting threads is half of a command's work. */
const inline = ['--placement', 'inline'];
const QUESTION = 'What is the capital of Norway?';
/** What the demo's template makes of the question. */
const PROMPT = `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n`;

/** The demo without its template. */
beforeAll(async () => {
  const source = join(home.path, 'checkpoint');
  cpSync(join(process.cwd(), 'assets/demo'), source, { recursive: true });
  const path = join(source, 'tokenizer_config.json');
  const { chat_template: _, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify(rest));
  await convertCheckpoint({ source, out: base });
});
afterAll(home.remove);

describe('a model without a chat template', () => {
  it('continues the text of run as it is, and says why in one line', async () => {
    const answer = await runHere(['run', 'demo', QUESTION, '--temperature', '0', ...inline], home.path);
    const continued = await runHere(['run', base, PROMPT, '--temperature', '0', ...inline], home.path);
    expect(answer.stdout).toContain('Oslo');
    expect(continued).toEqual({
      code: 0,
      stdout: answer.stdout,
      stderr:
        '(the model checkpoint has no chat template, so the text is continued as it is; --template chooses one)\n',
    });
  });

  it('continues as /v1/completions does, within the limit of tokens, with sampling by a seed', async () => {
    const child = startCli(['serve', '--http', '--port', '0', '--models-dir', models], home.path);
    if (child.stdout === null) throw new Error('a child with pipes');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const url = line.replace('listening on ', '');
    const ask = async (path: string, body: object) =>
      (await fetch(`${url}/v1/${path}`, { method: 'POST', body: JSON.stringify({ model: 'base', ...body }) })).json();
    const wish = { temperature: 1.2, top_k: 30, top_p: 1, min_p: 0, seed: 5 };
    const body = (await ask('completions', { prompt: 'Once upon', max_tokens: 12, ...wish })) as {
      choices: { text: string }[];
    };
    const args = [
      '--max-tokens',
      '12',
      '--temperature',
      '1.2',
      '--top-k',
      '30',
      '--top-p',
      '1',
      '--min-p',
      '0',
      '--seed',
      '5',
    ];
    const { stdout, stderr } = await runHere(['run', base, 'Once upon', ...args, ...inline], home.path);
    expect(stdout.replace(/\n$/, '')).toBe(body.choices[0]?.text.replace(/\n$/, ''));
    expect(stderr).toMatch(/continued as it is.*\n\(the answer was cut: --max-tokens or \/set max_tokens is 12\)\n$/);

    expect(await ask('chat/completions', { messages: [{ role: 'user', content: 'x' }] })).toMatchObject({
      error: {
        code: 'template_missing',
        message: expect.stringMatching(/has no chat template.*--template.*\/v1\/completions/) as string,
      },
    });
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
  });

  it.each([['--system', 'Be brief.'], ['--think'], ['--no-think'], ['--format', 'json']])(
    'refuses %s',
    async (...option) => {
      const { code, stdout, stderr } = await runHere(['run', base, ...option, ...inline, 'x'], home.path);
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toBe(
        `error: ${option[0]} needs a chat template, and the model checkpoint has none; choose one with --template, or leave ${option[0]} out\ncode: template_missing\n`,
      );
    },
  );

  it.skipIf(!hasPty)('refuses a REPL (skipped without python3, which opens a terminal)', async () => {
    const screen = openScreen(['run', base, ...inline], home.path);
    await screen.see('error: a REPL needs a chat template, and the model checkpoint has none');
    await screen.see('--template');
    await screen.see('/v1/completions');
    expect(await screen.end()).toBe(3);
  });

  it('chats by a template that is chosen, in run, in a REPL and over HTTP', async () => {
    const template = join(home.path, 'own.jinja');
    writeFileSync(
      template,
      `{{ ${JSON.stringify(PROMPT)}.replace(${JSON.stringify(QUESTION)}, messages[-1].content) if add_generation_prompt else messages[-1].content }}`,
    );
    const expected = await runHere(['run', 'demo', QUESTION, '--temperature', '0', ...inline], home.path);
    const chosen = ['run', base, '--temperature', '0', '--template', template, ...inline];
    const whole = await runHere([...chosen, QUESTION], home.path);
    expect(whole).toEqual({ code: 0, stdout: expected.stdout, stderr: '' });
    if (hasPty) {
      const screen = openScreen(chosen, home.path);
      await screen.see('>>> ');
      screen.type(`${QUESTION}\r`);
      await screen.see('Oslo');
      screen.type('\x04');
      expect(await screen.end()).toBe(0);
    }
    const args = ['serve', '--http', '--port', '0', '--models-dir', models, '--template', template];
    const child = startCli(args, home.path);
    if (child.stdout === null) throw new Error('a child with pipes');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const body = { model: 'base', temperature: 0, messages: [{ role: 'user', content: QUESTION }] };
    const url = `${line.replace('listening on ', '')}/v1/chat/completions`;
    const answer = (await (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(`${answer.choices[0]?.message.content}\n`).toBe(expected.stdout);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
  });

  it.each([
    ['run', 'none.gguf', 'x'],
    ['serve', '--http', '--port', '0'],
  ])('is not even looked for by %s where --template names nothing', async (...args) => {
    const { code, stdout, stderr } = await runHere([...args, '--template', 'chatlm'], home.path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: --template is "chatlm"; it must be one of chatml, .*, or a file: a path with a slash, or that ends in \.jinja\. Did you mean chatml\?\ncode: invalid_option\n$/,
    );
  });

  it('says of itself in the library that it cannot chat, and why where it is asked to', async () => {
    await using engine = await createEngine({ placement: 'inline' });
    await using model = await engine.load(base);
    await using demo = await engine.load('demo');
    expect([model.hasTemplate, demo.hasTemplate]).toEqual([false, true]);
    await expect(model.chat({ messages: [{ role: 'user', content: 'x' }] })).rejects.toMatchObject({
      code: 'template_missing',
      message: expect.stringMatching(/--template.*\/v1\/completions/) as string,
    });
  });
});
