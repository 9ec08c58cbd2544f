import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { completeCommand, runReplCommand } from '../../src/bin/native-engine/repl/commands.js';
import type { ReplSession } from '../../src/bin/native-engine/repl/session.js';

/** A session of which only what a command reads is there, with what it has said. */
function openSession(model: object): { session: ReplSession; said: () => string } {
  let text = '';
  const stream = { isTTY: false, write: (more: string) => (text += more) };
  const terminal = { stdout: stream, stderr: stream, env: {} };
  const session = { model, terminal, settings: { think: true, verbose: false } } as unknown as ReplSession;
  return { session, said: () => text };
}

it('thinking that a template does not support is taken out of the settings, however it was set', async () => {
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

/** A session with turns and settings. */
function openTalk(): ReturnType<typeof openSession> {
  const opened = openSession({ id: 'demo', contextLength: 64, generation: {} });
  const turns = [{ user: 'Hi.', assistant: 'Hello.' }];
  Object.assign(opened.session, { conversation: { system: 'Be brief.', turns } });
  Object.assign(opened.session.settings, { sampling: {}, think: undefined });
  return opened;
}

it('a conversation is saved as the body of a request, and loaded with its settings', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-save-'));
  const path = join(directory, 'talk.json');
  const { session, said } = openTalk();
  for (const line of ['/set temperature 0.5', '/set seed 18446744073709551615', String.raw`/set stop "\n\n" "###"`]) {
    await runReplCommand(session, line);
  }
  await runReplCommand(session, `/save ${path}`);
  expect(said()).toContain(`1 turn saved in ${path}\n`);
  const body: unknown = JSON.parse(readFileSync(path, 'utf8'));
  expect(body).toEqual({
    model: 'demo',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Hello.' },
    ],
    temperature: 0.5,
    seed: '18446744073709551615',
    stop: ['\n\n', '###'],
  });

  const other = openSession({ id: 'other' });
  Object.assign(other.session.settings, { sampling: { top_k: 3 }, maxTokens: 9 });
  await runReplCommand(other.session, `/load ${path}`);
  expect(other.said()).toBe('1 turn loaded; they were with demo\n');
  expect(other.session.conversation).toEqual(session.conversation);
  expect(other.session.settings).toMatchObject({
    sampling: { temperature: 0.5 },
    seed: 18_446_744_073_709_551_615n,
    stops: ['\n\n', '###'],
  });
  expect([other.session.settings.maxTokens, other.session.settings.sampling['top_k']]).toEqual([undefined, undefined]);
  expect(await runReplCommand(other.session, '/retry')).toBe('answer');
  expect(other.session.conversation.turns).toEqual([{ user: 'Hi.' }]);
  rmSync(directory, { recursive: true });
});

it('a file that is no conversation is neither loaded nor replaced', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-save-'));
  const path = join(directory, 'notes.txt');
  for (const [text, why] of [
    ['notes', 'is not JSON'],
    ['{}', 'is no conversation of texts'],
    ['{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}', 'is no conversation of texts'],
  ] as const) {
    writeFileSync(path, text);
    const { session, said } = openTalk();
    await runReplCommand(session, `/save ${path}`);
    await runReplCommand(session, `/load ${path}`);
    expect(said()).toContain(`${path} ${why}`);
    expect(said()).toContain('so that it is not replaced; choose another name');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(session.conversation.turns.length).toBe(1);
  }
  for (const [messages, why] of [
    [['assistant', 'user'], 'has a message of assistant where'],
    [['user', 'user'], 'has a message of user where'],
    [['user'], 'ends with a question without an answer'],
  ] as const) {
    writeFileSync(path, JSON.stringify({ messages: messages.map((role) => ({ role, content: 'x' })) }));
    const { session, said } = openTalk();
    await runReplCommand(session, `/load ${path}`);
    expect(said()).toContain(`${path} ${why}`);
  }
  const { session, said } = openTalk();
  await runReplCommand(session, '/save');
  await runReplCommand(session, `/load ${join(directory, 'none.json')}`);
  expect(said()).toContain('/save needs the name of a file');
  expect(said()).toContain('none.json is not there; /load takes a file of /save. To talk with another model, leave');
  rmSync(directory, { recursive: true });
});

it('texts that end an answer are set as they are, or in double quotes, and removed', async () => {
  const { session, said } = openTalk();
  const set: unknown[] = [];
  for (const value of [' Question:', String.raw` "a b" "\t"`, ' "open', ` ${'x'.repeat(1025)}`, '']) {
    await runReplCommand(session, `/set stop${value}`);
    set.push(session.settings.stops);
  }
  expect(set).toEqual([['Question:'], ['a b', '\t'], ['a b', '\t'], ['a b', '\t'], []]);
  expect(said()).toContain('answers end before "Question:"\n');
  expect(said()).toContain('in double quotes as in JSON');
  expect(said()).toContain('each of 1 to 1024 characters');
  expect(said()).toMatch(/no text ends an answer\n$/);
  expect(completeCommand('/set ')).toContain('/set stop ');
});
