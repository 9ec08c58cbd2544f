import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSupervisor, type Supervisor } from '../../src/actor/index.js';
import { toArgumentsVariable, toJsonVariable } from '../../src/chat/index.js';
import { createRemoteRenderer, templateKey, templateActorSpec } from '../../src/completion/index.js';

const LOOP =
  '{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}';

describe('the template actor', () => {
  let supervisor: Supervisor;
  let render: ReturnType<typeof createRemoteRenderer>;
  /** It stops a template after half a second. */
  let renderBriefly: typeof render;

  beforeAll(async () => {
    supervisor = await createSupervisor({
      id: 'test',
      strategy: 'oneForOne',
      intensity: 0,
      periodMs: 1000,
      children: [templateActorSpec('thread', { special: ['<s>'], tags: [] })],
    });
    const restart = (): Promise<void> => supervisor.restart(templateKey.id);
    const host = { ref: supervisor.ref(templateKey), restart };
    render = createRemoteRenderer(host);
    renderBriefly = createRemoteRenderer(host, 500);
  });

  afterAll(() => supervisor.stop());

  it('renders on its thread', async () => {
    expect(await render('{{ messages[0].content }}', { messages: [{ content: 'hi' }] })).toEqual({
      text: 'hi',
      plainAt: [],
    });
  });

  it('answers template_error as the template room does', async () => {
    await expect(render("{{ raise_exception('no') }}", {})).rejects.toMatchObject({ code: 'template_error' });
  });

  it('stops a template that loops, and renders what waited behind it', async () => {
    const looping = render(LOOP, {});
    const behind = render('{{ 1 + 1 }}', {});
    await expect(looping).rejects.toMatchObject({ code: 'template_timeout' });
    expect(await behind).toMatchObject({ text: '2' });
    expect(supervisor.ready).toBe(true);
  });

  it('survives a template that fills its heap', async () => {
    const bomb = "{% set ns = namespace(l=['x']) %}{% for i in range(40) %}{% set ns.l = ns.l + ns.l %}{% endfor %}";
    await expect(render(bomb, {})).rejects.toMatchObject({
      code: expect.stringMatching(/^template_(error|timeout)$/) as string,
    });
    expect(await render('{{ 4 }}', {})).toMatchObject({ text: '4' });
  });

  // A single allocation beyond the thread's heap would end the process, and with it this test.
  const DOUBLED = "{% set ns = namespace(t='ab c\u00e9', l=['x', 'y']) %}{% for i in range(40) %}";
  it.each([
    ['adds texts', `${DOUBLED}{% set ns.t = ns.t + ns.t %}{% endfor %}{{ ns.t }}`],
    ['prints texts', `${DOUBLED}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t }}`],
    ['replaces', `${DOUBLED}{% set ns.t = ns.t.replace('a', ns.t) %}{% endfor %}{{ ns.t }}`],
    ['filters by replace', `${DOUBLED}{% set ns.t = ns.t | replace('', ns.t) %}{% endfor %}{{ ns.t }}`],
    [
      'splits',
      `${DOUBLED}{% if i < 20 %}{% set ns.t = ns.t + ns.t %}{% endif %}{% endfor %}{{ ns.t.split('a') | length }}`,
    ],
    [
      'splits at spaces',
      `${DOUBLED}{% if i < 20 %}{% set ns.t = ns.t + ns.t %}{% endif %}{% endfor %}{{ ns.t.split() | length }}`,
    ],
    [
      'makes titles',
      `${DOUBLED}{% if i < 20 %}{% set ns.t = ns.t + ns.t %}{% endif %}{% endfor %}{{ ns.t.title() }}{{ ns.t | title }}`,
    ],
    ['slices', `${DOUBLED}{% if i < 20 %}{% set ns.t = ns.t + ns.t %}{% endif %}{% endfor %}{{ ns.t[1:] }}`],
    [
      'joins',
      `${DOUBLED}{% if i < 18 %}{% set ns.t = ns.t + ns.t %}{% endif %}{% endfor %}{{ range(99999) | join(ns.t) }}`,
    ],
    [
      'joins lists as text',
      `${DOUBLED}{% if i < 16 %}{% set ns.t = ns.t + ns.t %}{% set ns.l = ns.l + [ns.t] %}{% endif %}{% endfor %}{% for i in range(9) %}{% set ns.l = ns.l + ns.l %}{% endfor %}{{ ns.l }}`,
    ],
    [
      'writes JSON',
      `${DOUBLED}{% if i < 17 %}{% set ns.l = ns.l + ns.l %}{% endif %}{% endfor %}{{ ns.l | tojson(indent=99999) }}`,
    ],
    [
      'writes escapes',
      `${DOUBLED}{% if i < 20 %}{% set ns.t = ns.t + ns.t %}{% endif %}{% endfor %}{{ ns.t | tojson(ensure_ascii=true) }}`,
    ],
    ['indents', `{{ ("a\nb" | indent(500000000)) }}`],
    [
      'indents many lines',
      `${DOUBLED}{% if i < 17 %}{% set ns.t = ns.t + '\n' + ns.t %}{% endif %}{% endfor %}{{ ns.t | indent(9999) }}`,
    ],
    ['pads', "{{ 'a'.ljust(500000000) }}{{ 'a'.rjust(500000000) }}{{ 'a'.zfill(500000000) }}"],
    [
      'filters blocks',
      `${DOUBLED}{% set ns.t = ns.t + 'a' * 0 if false else ns.t + ns.t %}{% endfor %}{% filter title %}{{ ns.t }}{% endfilter %}`,
    ],
    [
      'filters blocks of many parts',
      `${DOUBLED}{% if i < 20 %}{% set ns.t = ns.t + ns.t %}{% endif %}{% endfor %}{% filter replace('a', 'bcd') %}{{ ns.t }}{% endfilter %}`,
    ],
    [
      'prints without end',
      "{% for a in range(99999) %}{% for b in range(99999) %}{{ 'some text of a loop' }}{% endfor %}{% endfor %}",
    ],
    ['keeps all', `${DOUBLED}{% for j in range(99999) %}{% set ns.l = [ns.l, 'a' ~ i ~ j] %}{% endfor %}{% endfor %}`],
  ])('survives a template that %s without measure', async (_, bomb) => {
    await expect(render(bomb, {})).rejects.toMatchObject({
      code: expect.stringMatching(/^(template_(error|timeout)|prompt_too_large)$/) as string,
    });
    expect(await render('{{ 4 }}', {})).toMatchObject({ text: '4' });
  });

  it.each([
    ['a text', { messages: [{ content: 'a b'.repeat(1 << 21) }] }],
    ['texts', { messages: Array.from({ length: 100 }, () => ({ content: 'x'.repeat(50_000) })) }],
    ['a list', { tools: Array.from({ length: 300_000 }, () => 0) }],
    ['many values', { tools: Array.from({ length: 3_000 }, () => Array.from({ length: 200 }, () => 0)) }],
    ['JSON', { tools: [toJsonVariable(`[${'0,'.repeat(300_000)}0]`)] }],
    ['arguments', { tools: [toArgumentsVariable(`{"a":[${'0,'.repeat(300_000)}0]}`)] }],
  ])('refuses variables with %s beyond its limits', async (_, variables) => {
    await expect(render('{{ 1 }}', variables)).rejects.toMatchObject({ code: 'prompt_too_large' });
    expect(await render('{{ 4 }}', {})).toMatchObject({ text: '4' });
  });

  it('takes commas in a string of JSON for text', async () => {
    const call = toArgumentsVariable(JSON.stringify({ csv: `"\\",${'1,'.repeat(300_000)}` }));
    const { text } = await render('{{ call.csv | length }}', { call });
    expect(text).toBe('600004');
  });

  it('renders a conversation of four million characters', async () => {
    const content = ` ${'word, '.repeat(690_000)} `;
    const template = "{{ messages[0].content | trim }}{{ messages[0].content.split('</think>')[-1].strip() | length }}";
    const length = content.trim().length;
    const { text } = await render(template, { messages: [{ content }] });
    expect(text === `${content.trim()}${length}`).toBe(true);
  });

  it('lets a caller go at once, and is ready for the next', async () => {
    const controller = new AbortController();
    const looping = renderBriefly(LOOP, {}, { signal: controller.signal });
    controller.abort(new Error('gone'));
    await expect(looping).rejects.toThrow('gone');
    expect(await renderBriefly('{{ 3 }}', {})).toMatchObject({ text: '3' });
  });

  it('renders nothing for callers that left while they waited', async () => {
    // Each of these would take half a second of the thread, and the test ends long before sixty of them.
    const looping = renderBriefly(LOOP, {});
    const controllers = Array.from({ length: 60 }, () => new AbortController());
    const waiting = controllers.map(({ signal }) => renderBriefly(LOOP, {}, { signal }));
    for (const controller of controllers) controller.abort(new Error('gone'));
    for (const one of waiting) await expect(one).rejects.toThrow('gone');
    await expect(looping).rejects.toMatchObject({ code: 'template_timeout' });
    expect(await renderBriefly('{{ 5 }}', {})).toMatchObject({ text: '5' });
  });
});
