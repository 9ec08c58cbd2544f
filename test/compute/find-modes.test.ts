import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compileKernels } from '../../src/compute/devices/cpu/index.js';
import { availableModes, compileModes, type CompileMode } from '../../src/compute/devices/cpu/kernels/compile-mode.js';
import { findModes, type ModeSearch } from '../../src/compute/devices/cpu/kernels/find-modes.js';
import { isKnownGood } from '../../src/compute/devices/cpu/kernels/known-good.js';
import { kernelModules, type KernelModule } from '../../src/compute/devices/cpu/kernels/modules.js';
import {
  createTrial,
  v8Options,
  type Attempt,
  type RunTrial,
} from '../../src/compute/devices/cpu/kernels/run-trial.js';

/** A process that ends, hangs or is slow, as its attempts say. */
const TRIAL = new URL('./fixtures/trial-ends.js', import.meta.url);
const nodeMajor = Number.parseInt(process.versions.node, 10);
const bytes = new Map<KernelModule, Uint8Array>([
  ['vnni', Buffer.from('1')],
  ['relaxed', Buffer.from('2')],
  ['sampling', Buffer.from('3')],
]);
let directory: string;
let trials: Attempt[][];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'find-modes-'));
  trials = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What becomes of one attempt: `ends` ends the process. */
type Outcome = (name: KernelModule, mode: CompileMode) => 'right' | 'ends' | 'computes nothing';

/** A trial with these outcomes, told as a process tells them: nothing from the attempt on that ended it. */
function trialOf(outcome: Outcome): RunTrial {
  return async (attempts) => {
    trials.push([...attempts]);
    const outcomes = attempts.map(([name, mode]) => outcome(name, mode));
    const end = outcomes.indexOf('ends');
    const told = end === -1 ? outcomes : outcomes.slice(0, end);
    return Promise.resolve({
      results: told.map((one) => (one === 'right' ? undefined : one)),
      ended: end === -1 ? undefined : 'SIGTRAP',
    });
  };
}

const search = (outcome: Outcome, more: ModeSearch = {}): ModeSearch => ({
  isKnown: false,
  modes: compileModes,
  cacheDirectory: async () => Promise.resolve(directory),
  runTrial: trialOf(outcome),
  ...more,
});

describe('findModes', () => {
  it('tries nothing on a build of V8 that was tested', async () => {
    const found = await findModes(
      bytes,
      search(() => 'ends', { isKnown: true }),
    );
    expect(found.modes).toEqual({ vnni: 'revectorized', relaxed: 'revectorized', sampling: 'revectorized' });
    expect(trials).toEqual([]);
  });

  it('tries all modules in one process when none is wrong', async () => {
    const found = await findModes(
      bytes,
      search(() => 'right'),
    );
    expect(found).toEqual({
      modes: { vnni: 'revectorized', relaxed: 'revectorized', sampling: 'revectorized' },
      unusable: {},
      notes: [],
    });
    expect(trials).toHaveLength(1);
  });

  it('compiles what ends the process in the next mode, tries the others again, and says so', async () => {
    const found = await findModes(
      bytes,
      search((name, mode) => (name === 'vnni' && mode === 'revectorized' ? 'ends' : 'right')),
    );
    expect(found.modes).toEqual({ vnni: 'optimised', relaxed: 'revectorized', sampling: 'revectorized' });
    expect(found.notes).toEqual([
      `kernels "vnni" on Node ${process.versions.node}: compiled revectorized it ends the process (SIGTRAP); it is compiled optimised, and may be slower`,
    ]);
    expect(trials.map((attempts) => attempts.map(([name]) => name))).toEqual([
      ['vnni', 'relaxed', 'sampling'],
      ['relaxed', 'sampling'],
      ['vnni'],
    ]);
  });

  it('does not use a variant that ends the process or is wrong in every mode, and reports only the former', async () => {
    const found = await findModes(
      bytes,
      search((name) => (name === 'vnni' ? 'computes nothing' : name === 'relaxed' ? 'ends' : 'right')),
    );
    expect(found.modes).toEqual({ sampling: 'revectorized' });
    expect(Object.keys(found.unusable).toSorted()).toEqual(['relaxed', 'vnni']);
    expect(found.unusable.vnni).toBe('computes nothing');
    expect(found.notes).toHaveLength(1);
    expect(found.notes[0]).toContain('it is not used');
  });

  it('gives up a mode in which one module does not come back: a start waits for one time limit a mode', async () => {
    const hangs: RunTrial = async (attempts) => {
      trials.push([...attempts]);
      return Promise.resolve({ results: [undefined], ended: 'no result within 60 s', isLate: true });
    };
    const found = await findModes(
      bytes,
      search(() => 'right', { runTrial: hangs }),
    );
    expect(found.modes).toEqual({ vnni: 'revectorized', relaxed: 'optimised', sampling: 'plain' });
    expect(trials).toHaveLength(3);
    expect(found.notes.join()).toContain('another did not come back');
  });

  it('comes to an end when every attempt ends its process', async () => {
    const found = await findModes(
      bytes,
      search(() => 'ends'),
    );
    expect(found.modes).toEqual({});
    expect(trials).toHaveLength(bytes.size * compileModes.length);
  });

  it('remembers what it found, by the kernels', async () => {
    const outcome: Outcome = (name, mode) => (name === 'sampling' && mode !== 'plain' ? 'ends' : 'right');
    const first = await findModes(bytes, search(outcome));
    const trialsOfFirst = trials.length;
    expect(
      await findModes(
        bytes,
        search(() => 'right'),
      ),
    ).toEqual(first);
    expect(trials).toHaveLength(trialsOfFirst);
    await findModes(
      new Map([...bytes, ['vnni', Buffer.from('other')]]),
      search(() => 'right'),
    );
    expect(trials).toHaveLength(trialsOfFirst + 1);
  });

  it('tries again what it remembers and cannot understand', async () => {
    await findModes(
      bytes,
      search(() => 'right'),
    );
    const [name = ''] = readdirSync(join(directory, 'kernels'));
    for (const text of ['', '{}', 'null', '{"key":1}', '{"key":"x","modes":{"vnni":"faster"}}']) {
      writeFileSync(join(directory, 'kernels', name), text);
      trials = [];
      expect(
        (
          await findModes(
            bytes,
            search(() => 'right'),
          )
        ).modes.vnni,
      ).toBe('revectorized');
      expect(trials).toHaveLength(1);
    }
  });

  it('works where nothing can be remembered', async () => {
    writeFileSync(join(directory, 'kernels'), 'a file where the directory would be');
    chmodSync(directory, 0o555);
    const nowhere = async (): Promise<string> => Promise.reject(new Error('nowhere'));
    for (const more of [{}, { cacheDirectory: nowhere }, { cacheDirectory: undefined }]) {
      expect(
        (
          await findModes(
            bytes,
            search(() => 'right', more),
          )
        ).modes.vnni,
      ).toBe('revectorized');
    }
    chmodSync(directory, 0o755);
    expect(trials).toHaveLength(3);
  });

  it('compiles plainly where nothing can be tried, says why, and does not remember it', async () => {
    const refused = { whyNoTrial: async () => Promise.resolve('the program is a single executable') };
    const found = await findModes(
      bytes,
      search(() => 'right', refused),
    );
    expect(found.modes).toEqual({ vnni: 'plain', relaxed: 'plain', sampling: 'plain' });
    expect(found.notes[0]).toContain('single executable');
    const failing: RunTrial = async () => Promise.reject(new Error('spawn EAGAIN'));
    expect(
      (
        await findModes(
          bytes,
          search(() => 'right', { runTrial: failing }),
        )
      ).notes[0],
    ).toContain('EAGAIN');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('createTrial', () => {
  /** Some times what an attempt takes on this machine now, in whole seconds. */
  let limitMs = 0;
  beforeAll(async () => {
    const startMs = performance.now();
    await createTrial(TRIAL)([['portable', 'plain']]);
    limitMs = 1_000 * Math.ceil((5 * (performance.now() - startMs)) / 1_000);
    process.env['TRIAL_SLOW_MS'] = String(0.6 * limitMs);
  });
  afterAll(() => void delete process.env['TRIAL_SLOW_MS']);

  it('compiles and checks the real kernels in a process of this Node', async () => {
    const attempts = kernelModules
      .filter((name) => name !== 'vnni')
      .flatMap((name) => availableModes().map((mode): Attempt => [name, mode]));
    const { results, ended } = await createTrial()(attempts);
    expect(ended).toBeUndefined();
    // Node 20's other compiler computes a relaxed instruction wrongly, which is what the check is for.
    const wrong = attempts.filter(([, mode], i) => results[i] !== undefined && !(nodeMajor === 20 && mode === 'plain'));
    expect(wrong).toEqual([]);
  });

  it('tells how a process ended and what was known before, and keeps what else it printed apart', async () => {
    const trial = createTrial(TRIAL, limitMs);
    expect(
      await trial([
        ['portable', 'plain'],
        ['narrow', 'plain'],
        ['vnni', 'plain'],
        ['sampling', 'plain'],
      ]),
    ).toEqual({
      results: [undefined, 'computes nothing'],
      ended: 'SIGTRAP',
    });
    expect(
      await trial([
        ['portable', 'plain'],
        ['relaxed', 'plain'],
      ]),
    ).toEqual({
      results: [undefined],
      ended: `no result within ${limitMs / 1_000} s`,
      isLate: true,
    });
  });

  it('gives each attempt its limit, and not all together', async () => {
    const trial = createTrial(TRIAL, limitMs);
    const slow: Attempt = ['portable', 'optimised'];
    expect(await trial([slow, slow, slow])).toEqual({
      results: [undefined, undefined, undefined],
      ended: undefined,
    });
  });

  it('says nothing of the kernels where a process was ended from outside, or before it tried anything', async () => {
    const ends = createTrial(TRIAL);
    const absent = createTrial(new URL('./fixtures/no-such-file.js', import.meta.url));
    await expect(ends([['sampling', 'plain']])).rejects.toThrow('it was ended from outside: SIGINT');
    await expect(absent([['vnni', 'plain']])).rejects.toThrow('it ended before it tried anything: exit status 1');
    const found = await findModes(
      bytes,
      search(() => 'right', { runTrial: absent }),
    );
    expect(found.modes).toEqual({ vnni: 'plain', relaxed: 'plain', sampling: 'plain' });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('starts nothing in a process that is a trial itself, or whose program is not named as Node is', async () => {
    const script = join(directory, 'trial-child.js');
    const named = join(directory, 'application');
    const url = new URL('../../src/compute/devices/cpu/kernels/run-trial.js', import.meta.url).href;
    writeFileSync(script, `import(${JSON.stringify(url)}).then((m) => m.whyNoTrial()).then(console.log)`);
    const told = async (graph: string, file: string): Promise<string> =>
      (await promisify(execFile)(graph, [file])).stdout.trim();
    expect(await told(process.execPath, script)).toBe('this process is such a trial itself');
    copyFileSync(script, join(directory, 'main.js'));
    expect(await told(process.execPath, join(directory, 'main.js'))).toBe('undefined');
    copyFileSync(process.execPath, named);
    expect(await told(named, join(directory, 'main.js'))).toBe('application is not named as Node is');
  });

  it.runIf(nodeMajor === 26 && process.arch === 'x64')(
    'outlives what V8 14.6 ends a process on: a vector parameter in pairs that are stored',
    async () => {
      const trial = createTrial(new URL('./fixtures/trial-vector-parameter.js', import.meta.url));
      const found = await findModes(
        bytes,
        search(() => 'right', { runTrial: trial }),
      );
      expect(found.modes.vnni).toBe('optimised');
      expect(found.notes[0]).toContain('ends the process');
    },
  );
});

describe('compileKernels', () => {
  it('uses the next variant where one ends the process, and tells it', async () => {
    const runTrial = trialOf((name) => (name === 'vnni' || name === 'relaxed' ? 'ends' : 'right'));
    const { variant, notes, rejected } = await compileKernels({ isPortable: false, isKnown: false, runTrial });
    expect(['narrow', 'portable']).toContain(variant);
    expect(rejected.map((one) => one.variant)).toEqual(['vnni', 'relaxed']);
    expect(notes.join()).toMatch(/"vnni".*"relaxed"/s);
  });

  it('refuses with a code of ours where no variant is left', async () => {
    const runTrial = trialOf(() => 'ends');
    await expect(compileKernels({ isPortable: false, isKnown: false, runTrial })).rejects.toMatchObject({
      code: 'kernel_unavailable',
    });
  });
});

describe('what is known', () => {
  it('is a tested build of V8 on x64 Linux or a later one of its version, without options of the user that change its compilers', () => {
    const v8 = '14.6.202.34-node.34';
    expect(isKnownGood(v8, 'x64', 'linux', [])).toBe(true);
    expect(isKnownGood('14.6.202.34-node.40', 'x64', 'linux', [])).toBe(true);
    expect(isKnownGood('14.6.202.34-node.33', 'x64', 'linux', [])).toBe(false);
    expect(isKnownGood('14.6.202.34', 'x64', 'linux', [])).toBe(false);
    expect(isKnownGood('14.6.202.35-node.34', 'x64', 'linux', [])).toBe(false);
    expect(isKnownGood(v8, 'arm64', 'linux', [])).toBe(false);
    expect(isKnownGood(v8, 'x64', 'win32', [])).toBe(false);
    expect(isKnownGood(v8, 'x64', 'linux', ['--no-enable-avx2'])).toBe(false);
  });

  it('passes on the options of V8 that change compilers, and no other of node', () => {
    const given = [
      '--import',
      './a.mjs',
      '--inspect',
      '--no-liftoff',
      '--enable-source-maps',
      '--no-enable-avx2',
      '--experimental-wasm-memory64',
      '--max-old-space-size=4096',
      '--no-wasm-inlining',
    ];
    expect(v8Options(given)).toEqual([
      '--no-liftoff',
      '--no-enable-avx2',
      '--experimental-wasm-memory64',
      '--no-wasm-inlining',
    ]);
    expect(v8Options(['--no_liftoff', '--no_enable_avx2'])).toEqual(['--no_liftoff', '--no_enable_avx2']);
  });

  it('sees the options of the command line in a worker thread that was given others', async () => {
    const url = new URL('../../src/compute/devices/cpu/kernels/run-trial.js', import.meta.url).href;
    const worker = `import(${JSON.stringify(url)}).then((m) => console.log(m.v8Options().join()))`;
    const main = `new (require('node:worker_threads').Worker)(${JSON.stringify(worker)}, { eval: true, execArgv: [] })`;
    const script = join(directory, 'main.cjs');
    writeFileSync(script, main);
    const told = async (...args: string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, args)).stdout.trim();
    expect(await told('--no-enable-avx2', script)).toBe('--no-enable-avx2');
    expect(await told('--require', 'node:fs', '--no-enable-avx2', script)).toBe('--no-enable-avx2');
    expect(await told(script, '--no-enable-avx2')).toBe('');
  });

  it.runIf(isKnownGood(process.versions.v8, process.arch, process.platform, []))(
    'holds for the kernels that are here: a trial of each in the fastest mode ends no process',
    async () => {
      const [fastest = 'plain'] = availableModes();
      const { results, ended } = await createTrial()(kernelModules.map((name): Attempt => [name, fastest]));
      expect(ended).toBeUndefined();
      expect(results).toHaveLength(kernelModules.length);
    },
  );
});
