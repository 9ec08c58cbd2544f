// A models directory that processes share, some of which are killed.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openArtifact } from '../../src/artifact/index.js';
import { openStore } from '../../src/store/index.js';

const demo = join(process.cwd(), 'dist/demo');
const root = mkdtempSync(join(tmpdir(), 'two-processes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Places `org/name` with a revision of its own; prints `building` when it has begun, and goes on after a line of input. */
const PROGRAM = `
  import { cpSync } from 'node:fs';
  import { once } from 'node:events';
  const { openStore } = await import(${JSON.stringify(`file://${join(process.cwd(), 'dist/src/store/index.js')}`)});
  const [models, demo, revision] = process.argv.slice(1);
  const say = (text) => new Promise((done) => process.stdout.write(text + '\\n', done));
  const build = async ({ artifact }) => {
    cpSync(demo, artifact, { recursive: true });
    await say('building');
    await once(process.stdin, 'data');
  };
  await openStore(models).place({ repo: 'org/name', revision }, build, { onWait: (pid) => say('waiting ' + pid) });
  await say('placed');
  process.exit(0);
`;

function start(models: string, revision: string): { child: ChildProcess; says: () => Promise<string> } {
  const args = ['--input-type=module', '-e', PROGRAM, models, demo, revision];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, says: async () => String((await once(child.stdout as NodeJS.ReadableStream, 'data'))[0]).trim() };
}

describe('two processes that place one model', () => {
  it('do it one after the other', async () => {
    const models = join(root, 'one-after-the-other');
    const first = start(models, '1');
    expect(await first.says()).toBe('building');
    const second = start(models, '2');
    expect(await second.says()).toBe(`waiting ${first.child.pid}`);
    first.child.stdin?.write('go\n');
    expect(await first.says()).toBe('placed');
    expect(await second.says()).toBe('building');
    second.child.stdin?.write('go\n');
    expect(await second.says()).toBe('placed');
    const store = openStore(models);
    const found = await store.find('org/name');
    expect(found && (await store.originOf(found))?.revision).toBe('2');
    expect(readdirSync(models)).toEqual(['org_name']);
  });

  it('of which one is killed: the other goes on, and what was left is swept', async () => {
    const models = join(root, 'killed');
    cpSync(demo, join(models, 'other'), { recursive: true });
    const first = start(models, '1');
    expect(await first.says()).toBe('building');
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    const store = openStore(models);
    expect((await store.list()).map(({ name }) => name)).toEqual(['other']);
    const second = start(models, '2');
    expect(await second.says()).toBe('building');
    expect(await store.sweep()).toMatchObject([{ kind: 'removed' }]);
    second.child.stdin?.write('go\n');
    expect(await second.says()).toBe('placed');
    expect(readdirSync(models)).toEqual(['org_name', 'other']);
    await using artifact = await openArtifact(join(models, 'org_name'));
    await artifact.verifyWeights();
  });
});
