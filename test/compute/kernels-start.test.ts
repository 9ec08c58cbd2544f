import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { compileKernels, instantiateKernels, kernelSets, kernelVariants } from '../../src/compute/devices/cpu/index.js';
import { computeSelfTest, readSelfTest } from '../../src/compute/devices/cpu/kernels/self-test.js';
import { availableModes, compileModes, flagsOf } from '../../src/compute/devices/cpu/kernels/compile-mode.js';
import { lackOf } from '../../src/compute/devices/cpu/kernels/try-variant.js';
import { loadVariant } from '../../src/compute/devices/cpu/kernels/index.js';

describe('compileKernels', () => {
  it('accepts every variant on this machine, but vnni only where its dot adds to 32 bits', async () => {
    const { variant, rejected } = await compileKernels({ isPortable: false });
    expect(kernelVariants).toContain(variant);
    const reason = 'needs a dot product of bytes that adds in 32 bits';
    expect(rejected).toEqual(variant === 'vnni' ? [] : [{ variant: 'vnni', reason }]);
  });

  it.each(availableModes())('knows %s before it compiles vnni what the self-test finds after that', async (mode) => {
    const selfTest = await readSelfTest();
    const memory = selfTest.createMemory();
    const kernels = instantiateKernels(await loadVariant('vnni', mode), memory);
    expect(lackOf('vnni', mode) === undefined).toBe(selfTest.check(kernels, memory) === undefined);
  });

  it("leaves the compilers to the host's own modules, such as the parser in fetch, which Node 26 ended the process on", async () => {
    await compileKernels({ isPortable: false });
    const server = createServer((_, response) => response.end('parsed')).listen(0);
    const { port } = server.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('parsed');
    server.close();
  });

  it('takes the portable variant when it is asked for', async () => {
    expect((await compileKernels({ isPortable: true })).variant).toBe('portable');
  });
});

describe('the self-test', () => {
  it('holds what the reference computes on this Node', async () => {
    const built = await readFile(new URL('../../kernels/self-test.bin', import.meta.url));
    expect(Buffer.compare(built, computeSelfTest())).toBe(0);
  });

  it('names the first operation that computes wrongly', async () => {
    const selfTest = await readSelfTest();
    const module = await loadVariant('portable');
    const names = [
      'rmsNorm',
      'addNorm',
      'matmulQ4',
      'attentionQ8',
      'storeKvF32',
      'embedBf16',
      'quantizeRows',
      'normRope',
      'spreadHeads',
      'deltaStep',
    ] as const;
    for (const broken of names) {
      const memory = selfTest.createMemory();
      const kernels = { ...instantiateKernels(module, memory), [broken]: () => {} };
      expect(selfTest.check(kernels, memory)).toBe(`computes ${broken} wrongly`);
    }
  });
});

describe('kernel modules', () => {
  it.each(kernelVariants)('%s has no data, no start function, and only imports its memory', async (variant) => {
    const bytes = await readFile(new URL(`../../kernels/${variant}.wasm`, import.meta.url));
    const text = bytes.toString('latin1');
    expect(bytes.subarray(0, 4).toString('latin1')).toBe('\0asm');
    expect(text.split('env').length - 1).toBe(1);
    const memory = new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true });
    instantiateKernels(await loadVariant(variant), memory);
    const first = new Uint8Array(memory.buffer).slice();
    instantiateKernels(await loadVariant(variant), memory);
    expect(Buffer.compare(new Uint8Array(memory.buffer).slice(), first)).toBe(0);
    expect(first.subarray(65_536).every((byte) => byte === 0)).toBe(true);
  });
});

describe('flagsOf', () => {
  it('asks each version only for flags that it knows', () => {
    expect(flagsOf('plain', 20, 'x64', 'linux')?.set).toEqual(['--experimental-wasm-relaxed-simd']);
    expect(flagsOf('plain', 26, 'x64', 'linux')).toEqual({ set: [], reset: [] });
    expect(flagsOf('optimised', 22, 'x64', 'linux')?.set).toEqual(['--no-liftoff', '--no-wasm-lazy-compilation']);
    expect(flagsOf('optimised', 26, 'x64', 'linux')?.set).toContain('--no-wasm-inlining');
    expect(flagsOf('revectorized', 24, 'x64', 'linux')?.set).toContain('--experimental-wasm-revectorize');
    expect(flagsOf('revectorized', 22, 'x64', 'linux')).toBeUndefined();
    expect(flagsOf('revectorized', 24, 'arm64', 'linux')).toBeUndefined();
    expect(flagsOf('revectorized', 24, 'x64', 'darwin')).toBeUndefined();
  });

  it('gives back every compiler that it took from the host, the revectorizer too', () => {
    for (const major of [20, 22, 24, 26]) {
      for (const mode of compileModes) {
        const flags = flagsOf(mode, major, 'x64', 'linux');
        const taken = flags?.set.filter((flag) => flag !== '--experimental-wasm-relaxed-simd') ?? [];
        const opposite = (flag: string): string =>
          flag.startsWith('--no-') ? `--${flag.slice(5)}` : `--no-${flag.slice(2)}`;
        expect((flags?.reset ?? []).toSorted()).toEqual(taken.map(opposite).toSorted());
      }
    }
  });

  it('never leaves inlining on while the compiler is off that it needs: other threads compile meanwhile', () => {
    for (const mode of ['revectorized', 'optimised'] as const) {
      const { set = [], reset = [] } = flagsOf(mode, 26, 'x64', 'linux') ?? {};
      expect(set.indexOf('--no-wasm-inlining')).toBeLessThan(set.indexOf('--no-liftoff'));
      expect(reset.indexOf('--wasm-inlining')).toBeGreaterThan(reset.indexOf('--liftoff'));
    }
  });
});

describe('a set of kernels', () => {
  it.each(Object.entries(kernelSets))('%s prepares and creates kernels', async (_, set) => {
    const prepared = await set.prepare({ isPortable: true });
    const memory = new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true });
    const kernels = set.createKernels(prepared, memory);
    const floats = new Float32Array(memory.buffer);
    floats.set([3, 4], 20_000);
    floats.set([1, 1], 20_010);
    kernels.rmsNorm(80_000, 0, 80_000, 0, 80_040, 2, 0, 1, 0);
    expect(floats[20_001]).toBeCloseTo(4 / Math.sqrt(12.5), 6);
  });
});
