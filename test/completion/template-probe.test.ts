import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemplateProbe } from '../../src/completion/index.js';
import { HandClock } from '../http/hand-clock.js';

const demo = readFileSync(join(process.cwd(), 'dist/demo/chat_template.jinja'), 'utf8');
const PLAIN = '{% for m in messages %}{{ m.role + m.content }}{% endfor %}';
const NO_READER = `${PLAIN}{% for t in tools %}{{ t.function.name }}{% endfor %}`;
const job = (template: string) => ({ template, bosToken: null, eosToken: null });

describe('what a model can do by its template', () => {
  it('is found by rendering it, and only once', async () => {
    using probe = createTemplateProbe();
    const [skills, again] = await Promise.all([probe.skillsOf(job(demo)), probe.skillsOf(job(demo))]);
    expect(skills).toEqual({ tools: true, thinking: true });
    expect(again).toBe(skills);
    expect(await probe.skillsOf(job(PLAIN))).toEqual({ tools: false, thinking: false });
    // The prompt has the tools, but no parser could read the calls.
    expect(await probe.skillsOf(job(NO_READER))).toEqual({ tools: false, thinking: false });
  });

  it('is nothing where the template does not end, and its thread does', async () => {
    const clock = new HandClock();
    using probe = createTemplateProbe(clock);
    const loop = `${'{% for a in range(100000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`;
    const skills = probe.skillsOf(job(loop));
    const next = probe.skillsOf(job(demo));
    await expect.poll(() => clock.waiting).toBe(1);
    clock.advance(5_000);
    expect(await skills).toEqual({ tools: false, thinking: false });
    expect(await next).toEqual({ tools: true, thinking: true });
  });
});
