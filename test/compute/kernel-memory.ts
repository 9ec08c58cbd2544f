import {
  compileKernels,
  createReferenceKernels,
  instantiateKernels,
  kernelVariants,
  loadVariant,
  type KernelVariant,
} from '../../src/compute/devices/cpu/index.js';
import type { Kernels } from '../../src/compute/devices/cpu/kernel-interface.js';

const PAGE_BYTES = 65_536;
/** The first byte after the reserved page. */
export const FIRST = PAGE_BYTES;

/** A memory image under construction: inputs are put one after the other, then every backend runs on its own copy. */
export interface Image {
  /** A power of two of pages, at least the last of them unwritten: small enough to compare as a whole after every run. */
  readonly bytes: Uint8Array;
  take(sizeBytes: number): number;
  floats(values: ArrayLike<number>): number;
  integers(values: ArrayLike<number>): number;
  copy(values: Uint8Array): number;
}

/** An empty image; unwritten bytes hold 0xA5, a tiny float, so that stray writes show. */
export function createImage(): Image {
  let bytes = new Uint8Array(4 * PAGE_BYTES).fill(0xa5);
  let end = FIRST;
  const take = (sizeBytes: number): number => {
    const at = end;
    end = Math.ceil((at + sizeBytes + 64) / 64) * 64;
    while (end + PAGE_BYTES > bytes.length) {
      const larger = new Uint8Array(2 * bytes.length).fill(0xa5, bytes.length);
      larger.set(bytes);
      bytes = larger;
    }
    return at;
  };
  const copy = (values: Uint8Array): number => {
    const at = take(values.length);
    bytes.set(values, at);
    return at;
  };
  return {
    get bytes() {
      return bytes;
    },
    take,
    copy,
    floats: (values) => copy(new Uint8Array(Float32Array.from(values).buffer)),
    integers: (values) => copy(new Uint8Array(Int32Array.from(values).buffer)),
  };
}

/** Runs `run` on copies of `image` with the kernels of one backend; gives all bytes after the reserved page. */
export type Bench = (image: Image, run: (kernels: Kernels) => void) => Uint8Array;

/** The reference. */
export const runReference: Bench = (image, run) => {
  const memory = image.bytes.slice();
  run(createReferenceKernels(memory.buffer));
  return memory.subarray(FIRST);
};

/** The variants of the WebAssembly kernels: all but a vnni that the start-up test refuses, as it must without VNNI. */
export async function openVariants(): Promise<{ variant: KernelVariant; run: Bench }[]> {
  const { rejected } = await compileKernels({ isPortable: false });
  const hasVnni = rejected.every(({ variant }) => variant !== 'vnni');
  const open = kernelVariants.filter((variant) => variant !== 'vnni' || hasVnni);
  return Promise.all(
    open.map(async (variant) => {
      const module = await loadVariant(variant);
      const instances = new Map<number, { readonly kernels: Kernels; readonly view: Uint8Array }>();
      const instanceOf = (pages: number): { readonly kernels: Kernels; readonly view: Uint8Array } => {
        const known = instances.get(pages);
        if (known !== undefined) return known;
        const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
        const made = { kernels: instantiateKernels(module, memory), view: new Uint8Array(memory.buffer, FIRST) };
        instances.set(pages, made);
        return made;
      };
      const run: Bench = (image, call) => {
        const { kernels, view } = instanceOf(image.bytes.length / PAGE_BYTES);
        view.set(image.bytes.subarray(FIRST));
        call(kernels);
        return view.slice();
      };
      return { variant, run };
    }),
  );
}

/** Pseudo-random numbers, the same on every run. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What `randomFloats` drew of each seed and size: hundreds of cases begin with the same numbers. */
const drawn = new Map<string, Float32Array>();

/** `length` floats around zero of mixed sizes. */
export function randomFloats(length: number, seed: number, size = 1): Float32Array {
  const key = `${seed} ${size}`;
  const known = drawn.get(key);
  if (known !== undefined && known.length >= length) return known.slice(0, length);
  const random = createRandom(seed);
  const values = new Float32Array(length);
  for (let i = 0; i < length; i++) values[i] = (random() + random() + random() - 1.5) * size;
  drawn.set(key, values);
  return values.slice();
}

/** Where a result lies, how far it may be off beside its largest value, and what else may be written over. */
export interface Output {
  readonly at: number;
  readonly bytes: number;
  readonly tolerance: number;
  readonly rooms?: readonly { readonly at: number; readonly bytes: number }[];
}

/** What differs: undefined when all bytes outside of the output and its rooms are equal and the output agrees. */
export function difference(actual: Uint8Array, expected: Uint8Array, output: Output): string | undefined {
  for (const { at, bytes } of output.rooms ?? []) {
    for (const memory of [actual, expected]) memory.fill(0, at - FIRST, at - FIRST + bytes);
  }
  const start = output.at - FIRST;
  const end = start + output.bytes;
  const isFloat = output.tolerance > 0;
  for (const [from, to] of isFloat
    ? [
        [0, start],
        [end, actual.length],
      ]
    : [[0, actual.length]]) {
    if (Buffer.compare(actual.subarray(from, to), expected.subarray(from, to)) === 0) continue;
    const first = actual.subarray(from, to).findIndex((byte, i) => byte !== expected[(from as number) + i]);
    const index = (from as number) + first;
    return `byte ${index - start} from the output on is ${actual[index]}, not ${expected[index]}`;
  }
  return isFloat ? floatDifference(actual.slice(start, end), expected.slice(start, end), output.tolerance) : undefined;
}

function floatDifference(actual: Uint8Array, expected: Uint8Array, tolerance: number): string | undefined {
  const a = new Float32Array(actual.buffer);
  const b = new Float32Array(expected.buffer);
  const largest = b.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  let worst = 0;
  let first = -1;
  a.forEach((value, i) => {
    const distance = Math.abs(value - (b[i] as number));
    if (!(distance <= largest * tolerance) && first < 0) first = i;
    worst = Math.max(worst, distance);
  });
  return first < 0
    ? undefined
    : `float ${first} is ${a[first]}, not ${b[first]}; largest ${largest}, worst difference ${worst}`;
}
