// Settings of a process by which prompts would get to a disk: told, and turned off, in real processes.
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findUnsafeSettings, type ProcessFacts, type SafetyFinding } from '../../src/cli/process-safety.js';

const PROGRAM = join(process.cwd(), 'dist/test/gateway/fixtures/hardening-safety-process.js');
const SAFE: ProcessFacts = {
  execArgv: [],
  environment: {},
  report: { onFatalError: false, onUncaughtException: false, onSignal: false },
  inspectorUrl: undefined,
  core: { softLimitBytes: 0, isPiped: false, filter: 0x33 },
};
const named = (facts: Partial<ProcessFacts>): readonly string[] =>
  findUnsafeSettings({ ...SAFE, ...facts }).map(({ what }) => what);

/** What a process found of itself. */
interface Said {
  readonly before: readonly SafetyFinding[];
  readonly left: SafetyFinding | null;
  readonly after: readonly SafetyFinding[];
}

/** Starts one and waits for what it found. */
async function startSafe(
  execArgv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<AsyncDisposable & { readonly child: ChildProcess; readonly said: Said }> {
  const child = fork(PROGRAM, [...args], {
    execArgv: [...execArgv],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [said] = (await once(child, 'message')) as [Said];
  return {
    child,
    said,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Where the inspector of a process listens. */
async function inspectorOf(child: ChildProcess): Promise<string | null> {
  child.send('ask');
  const [{ inspectorUrl }] = (await once(child, 'message')) as [{ inspectorUrl: string | null }];
  return inspectorUrl;
}

describe('settings of a process', () => {
  it('are safe where nothing was set', () => {
    expect(named({})).toEqual([]);
    expect(named({ core: undefined })).toEqual([]);
    expect(named({ execArgv: ['--max-old-space-size=100', '--cpu-prof', '--heap-prof', '--disable-sigusr1'] })).toEqual(
      [],
    );
  });

  it.each([
    ['--report-on-fatalerror'],
    ['--report_on_fatalerror', '--report-on-fatalerror'],
    ['--report-uncaught-exception'],
    ['--report-on-signal'],
    ['--inspect'],
    ['--inspect=0.0.0.0:9229', '--inspect'],
    ['--inspect-brk=9229', '--inspect-brk'],
    ['--inspect-wait'],
    ['--heapsnapshot-near-heap-limit=3', '--heapsnapshot-near-heap-limit'],
    ['--heapsnapshot-signal=SIGUSR2', '--heapsnapshot-signal'],
    ['--abort-on-uncaught-exception'],
    ['--abort_on_uncaught_exception', '--abort-on-uncaught-exception'],
    ['--trace-event-categories=node.http', '--trace-event-categories'],
    ['--trace-tls'],
    ['--tls-keylog=/tmp/keys', '--tls-keylog'],
  ])('are reported, on the command line and in NODE_OPTIONS: %s', (written, what = written) => {
    expect(named({ execArgv: [written] })).toEqual([what]);
    expect(named({ environment: { NODE_OPTIONS: `--no-warnings ${written}` } })).toEqual([what]);
    expect(named({ environment: { NODE_OPTIONS: `"${written}" --max-old-space-size=99` } })).toEqual([what]);
  });

  it('are reported by their effect too, each once, with what to do', () => {
    const report = { onFatalError: true, onUncaughtException: true, onSignal: true };
    const findings = findUnsafeSettings({
      ...SAFE,
      report,
      execArgv: ['--report-on-signal'],
      inspectorUrl: 'ws://127.0.0.1:9229/x',
      environment: { NODE_DEBUG: 'http', NODE_DEBUG_NATIVE: '' },
    });
    expect(findings.map(({ what }) => what)).toEqual([
      '--report-on-signal',
      '--report-on-fatalerror',
      '--report-uncaught-exception',
      '--inspect',
      'NODE_DEBUG',
    ]);
    for (const { why, turnOff } of findings) expect([why, turnOff].every((text) => text.length > 5)).toBe(true);
  });

  it('are reported where a crash writes memory', () => {
    expect(named({ core: { softLimitBytes: Infinity, isPiped: false, filter: 0x33 } })).toEqual(['core dumps']);
    expect(named({ core: { softLimitBytes: 0, isPiped: true, filter: 0x33 } })).toEqual(['core dumps']);
    expect(named({ core: { softLimitBytes: Infinity, isPiped: true, filter: 0 } })).toEqual([]);
  });
});

describe('a process that keeps itself', () => {
  it('tells what it was started with', async () => {
    await using started = await startSafe(['--report-on-fatalerror'], { NODE_OPTIONS: '--report-on-signal' });
    expect(started.said.before.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['--report-on-fatalerror', '--report-on-signal']),
    );
  });

  it.runIf(process.platform === 'linux')('has no memory in its core dumps, and no dumps', async () => {
    await using started = await startSafe([]);
    const { said, child } = started;
    expect([said.left, said.after]).toEqual([null, []]);
    expect(readFileSync(`/proc/${child.pid}/coredump_filter`, 'utf8').trim()).toBe('00000000');
    if (spawnSync('prlimit', ['--version']).status !== 0) return;
    expect(readFileSync(`/proc/${child.pid}/limits`, 'utf8')).toMatch(/^Max core file size\s+0\s+0\s/m);
  });

  it.skipIf(process.platform === 'win32')('opens no inspector on SIGUSR1, which Node does by itself', async () => {
    await using kept = await startSafe([]);
    await using other = await startSafe([`--inspect-port=0`], {}, ['unguarded']);
    for (const { child } of [kept, other]) child.kill('SIGUSR1');
    // The one that is not kept shows how long it takes.
    let opened: string | null = null;
    while (opened === null) opened = await inspectorOf(other.child);
    expect(opened).toMatch(/^ws:/);
    for (let i = 0; i < 20; i++) {
      kept.child.kill('SIGUSR1');
      expect(await inspectorOf(kept.child)).toBeNull();
    }
  });
});
