import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { completeCommand, runReplCommand } from '../../src/bin/native-engine/repl/commands.js';
import type { Session } from '../../src/bin/native-engine/repl/session.js';

/** A session of which only what a command reads is there, with what it has said. */
function openSession(model: object): { session: Session; said: () => string } {
  let text = '';
  const stream = { isTTY: false, write: (more: string) => (text += more) };
  const terminal = { stdout: stream, stderr: stream, env: {} };
  const session = { model, terminal, settings: { think: true, verbose: false } } as unknown as Session;
  return { session, said: () => text };
}

it('thinking that a template knows nothing of is taken out of the settings, whoever set it', async () => {
  const { session, said } = openSession({ id: 'plain', renderChat: async () => 'the same' });
  expect(await runReplCommand(session, '/nothink')).toBe('ask');
  expect(said()).toContain('The chat template of plain has no thinking to turn on or off.');
  expect(session.settings.think).toBeUndefined();
});

it('answers are JSON, of a schema or text again, as /json says', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-json-'));
  const path = join(directory, 'schema.json');
  writeFileSync(path, '{"type":"string"}');
  const { session, said } = openSession({});
  const formats: unknown[] = [];
  for (const argument of ['', ` ${path}`, ' nothing', ' off']) {
    expect(await runReplCommand(session, `/json${argument}`)).toBe('ask');
    formats.push(session.settings.format?.responseFormat);
  }
  rmSync(directory, { recursive: true });
  const held = { type: 'json_schema', json_schema: { schema: { type: 'string' }, strict: true } };
  expect(formats).toEqual([{ type: 'json_object' }, held, held, undefined]);
  expect(said()).toContain('Answers are JSON objects.\n');
  expect(said()).toContain(`Answers are JSON that fits ${path}.\n`);
  expect(said()).toContain('/json is "nothing"; it must be json, or the file of a JSON Schema');
  expect(said()).toMatch(/Answers are text\.\n$/);
  expect(completeCommand('/json ')).toEqual(['/json off']);
});

it('thinking is set where the prompts differ', async () => {
  const { session, said } = openSession({
    id: 'x',
    renderChat: async (_: unknown, { enableThinking }: { enableThinking: boolean }) => String(enableThinking),
  });
  await runReplCommand(session, '/nothink');
  expect(said()).toBe('Thinking is off.\n');
  expect(session.settings.think).toBe(false);
});
