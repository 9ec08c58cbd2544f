import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSupervisor, type Supervisor } from '../../src/actor/index.js';
import { createRemoteRenderer, templateKey, templateActorSpec } from '../../src/completion/index.js';

const LOOP =
  '{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}';

describe('the template actor', () => {
  let supervisor: Supervisor;
  let render: ReturnType<typeof createRemoteRenderer>;

  beforeAll(async () => {
    supervisor = await createSupervisor({
      id: 'test',
      strategy: 'oneForOne',
      intensity: 0,
      periodMs: 1000,
      children: [templateActorSpec('thread', { special: ['<s>'], tags: [] })],
    });
    const restart = (): Promise<void> => supervisor.restart(templateKey.id);
    render = createRemoteRenderer({ ref: supervisor.ref(templateKey), restart });
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

  it('lets a caller go at once, and is ready for the next', async () => {
    const controller = new AbortController();
    const looping = render(LOOP, {}, { signal: controller.signal });
    controller.abort(new Error('gone'));
    await expect(looping).rejects.toThrow('gone');
    expect(await render('{{ 3 }}', {})).toMatchObject({ text: '3' });
  });

  it('renders nothing for callers that left while they waited', async () => {
    // Each of these would take a second of the thread, and the test ends long before sixty of them.
    const looping = render(LOOP, {});
    const controllers = Array.from({ length: 60 }, () => new AbortController());
    const waiting = controllers.map(({ signal }) => render(LOOP, {}, { signal }));
    for (const controller of controllers) controller.abort(new Error('gone'));
    for (const one of waiting) await expect(one).rejects.toThrow('gone');
    await expect(looping).rejects.toMatchObject({ code: 'template_timeout' });
    expect(await render('{{ 5 }}', {})).toMatchObject({ text: '5' });
  });
});
