// The choice of a GGUF file among those of a repository, as publishers name them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HubFile } from '../../../src/hub/index.js';
import { chooseFiles } from '../../../src/models/pull/choose-files.js';
import { byPreference } from '../../../src/models/pull/gguf-quants.js';
import { readQuantLabel, toQuantLabel } from '../../../src/weights/index.js';
import { codeOf } from '../../../src/base/index.js';

const fileOf = (path: string, sizeBytes = 1000): HubFile => ({
  path,
  sizeBytes,
  hash: { kind: 'sha256', hex: 'a'.repeat(64) },
});
/** The paths that are chosen, or the code of the refusal. */
function choose(names: readonly (string | HubFile)[], asked?: string, repo = 'o/x'): string {
  try {
    const files = names.map((each) => (typeof each === 'string' ? fileOf(each) : each));
    return chooseFiles(repo, files, asked)
      .weights.map(({ file }) => file.path)
      .join(' ');
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

describe('the label of a quant', () => {
  it.each([
    ['Qwen3-8B-UD-Q4_K_XL', 'UD-Q4_K_XL'],
    ['qwen2.5-0.5b-instruct-fp16', 'F16'],
    ['Phi-3-mini-4k-instruct-q4', 'Q4'],
    ['model.i1-IQ3_XXS', 'IQ3_XXS'],
    ['Foo-imatrix-Q4_K_M', 'Q4_K_M'],
    ['Meta Llama 3 (8B) [Q5_K_M]', 'Q5_K_M'],
    ['tiny+Q4_0', 'Q4_0'],
    ['gpt-oss-20b-mxfp4', 'MXFP4'],
    ['Model-f16-Q8_0', 'Q8_0'],
    ['Model-Q4_K_M_v2', 'Q4_K_M'],
    ['model-TQ1_0', 'TQ1_0'],
    ['GLM-4.5-UD-IQ2_XXS', 'UD-IQ2_XXS'],
    ['DeepSeek-IQ4_KSS', 'IQ4_KSS'],
    ['SmolLM2-135M-Instruct', undefined],
    ['XQ4_0Y', undefined],
  ])('of %s is %s', (name, label) => {
    expect(readQuantLabel(name)).toBe(label);
  });

  it.each([
    ['fp16', 'F16'],
    ['q4_k_m', 'Q4_K_M'],
    ['Q4_K_M.gguf', 'Q4_K_M'],
    ['i1-Q4_K_M', 'Q4_K_M'],
    ['imatrix-iq3_xs', 'IQ3_XS'],
    ['ud-q4_k_xl', 'UD-Q4_K_XL'],
    ['Qwen3-8B-UD-Q4_K_XL.gguf', 'UD-Q4_K_XL'],
    ['Big-Q6_K-00001-of-00003.gguf', 'Q6_K'],
    ['fp32', 'F32'],
    ['1b', '1B'],
  ])('that is meant by %s is %s', (asked, label) => {
    expect(toQuantLabel(asked)).toBe(label);
  });
});

describe('the choice among quants', () => {
  const unsloth = [
    'Qwen3-8B-BF16.gguf',
    'Qwen3-8B-Q4_K_M.gguf',
    'Qwen3-8B-UD-Q4_K_XL.gguf',
    'Qwen3-8B-UD-IQ1_S.gguf',
    'Qwen3-8B-Q8_0.gguf',
  ];
  it.each([
    ['UD-Q4_K_XL', unsloth[2]],
    ['Q4_K_XL', unsloth[2]],
    ['ud-iq1_s', unsloth[3]],
    ['IQ1_S', unsloth[3]],
    ['Q4_K_M.gguf', unsloth[1]],
    ['i1-q4_k_m', unsloth[1]],
    ['Q4_K', unsloth[1]],
    ['Q4', unsloth[1]],
    ['q8', unsloth[4]],
    ['bf16', unsloth[0]],
    ['F16', 'pull_quant_missing'],
    ['UD-Q8_0', 'pull_quant_missing'],
    ['Q', 'pull_quant_missing'],
    [undefined, unsloth[1]],
  ])('that is asked for as %s', (asked, path) => {
    expect(choose(unsloth, asked)).toBe(path);
  });

  it('is of the plain one where a mix has the same name, and of either where it is alone', () => {
    const both = ['Q-UD-Q4_K_M.gguf', 'Q-Q4_K_M.gguf'];
    expect([undefined, 'Q4_K_M', 'UD-Q4_K_M'].map((asked) => choose(both, asked))).toEqual([both[1], both[1], both[0]]);
    expect(choose(['Q-UD-Q4_K_M.gguf', 'Q-BF16.gguf'])).toBe('Q-UD-Q4_K_M.gguf');
    expect(choose(['m.i1-Q4_K_M.gguf', 'm.i1-IQ2_M.gguf'], 'Q4_K_M')).toBe('m.i1-Q4_K_M.gguf');
    expect(choose(['q-fp16.gguf', 'q-q8_0.gguf'], 'F16')).toBe('q-fp16.gguf');
  });

  it.each([
    [['BF16', 'UD-Q2_K_XL', 'UD-Q4_K_XL', 'UD-Q8_K_XL'], 'UD-Q4_K_XL'],
    [['BF16', 'UD-IQ1_S'], 'UD-IQ1_S'],
    [['F16', 'Q8_0'], 'Q8_0'],
    [['BF16', 'IQ4_XS', 'Q2_K'], 'IQ4_XS'],
    [['Q4_0', 'Q8_0'], 'Q4_0'],
    [['Q4_0', 'Q5_K_M'], 'Q5_K_M'],
    [['Q3_K_M', 'Q6_K', 'F16'], 'Q6_K'],
    [['Q2_K', 'IQ3_M'], 'IQ3_M'],
    [['IQ4_KS', 'Q5_K_S'], 'Q5_K_S'],
    [['IQ4_KS', 'F16'], 'F16'],
    [['F32', 'F16'], 'F16'],
  ])('of %j is %s where none is asked for', (labels, chosen) => {
    const names = labels.map((label) => `${label}/M-${label}.gguf`);
    expect(choose(names)).toBe(`${chosen}/M-${chosen}.gguf`);
    expect(choose(names.toReversed())).toBe(`${chosen}/M-${chosen}.gguf`);
  });

  it('is never of unquantised weights while there are others, whatever their order', () => {
    const quantised = ['IQ1_S', 'UD-IQ1_M', 'Q2_K', 'Q3_K_XL', 'IQ4_NL', 'Q5_1', 'UD-Q6_K_XL', 'Q8_0', 'Q4_K_M'];
    const labels = fc.shuffledSubarray([...quantised, 'BF16', 'F16', 'F32'], { minLength: 1 });
    fc.assert(
      fc.property(labels, (some) => {
        const [first = ''] = byPreference(some);
        return !/^(?:BF16|F16|F32)$/.test(first) || some.every((label) => !quantised.includes(label));
      }),
    );
    fc.assert(fc.property(labels, (some) => byPreference(some)[0] === byPreference(some.toReversed())[0]));
  });

  it('is of the best that fits the memory, but of none that is hardly a model', () => {
    const files = [
      ['Q8_0', 80],
      ['Q4_K_M', 50],
      ['IQ3_M', 38],
      ['IQ1_S', 20],
    ].map(([label, size]) => fileOf(`m-${label}.gguf`, Number(size)));
    const within = (bytes: number): { readonly path?: string | undefined; readonly note?: string | undefined } => {
      const plan = chooseFiles('o/x', files, undefined, (size) => size <= bytes);
      return { path: plan.weights[0]?.file.path, note: plan.format === 'gguf' ? plan.note : undefined };
    };
    expect(within(60)).toEqual({ path: 'm-Q4_K_M.gguf', note: undefined });
    expect(within(40)).toEqual({
      path: 'm-IQ3_M.gguf',
      note: 'Q4_K_M of o/x does not fit the memory here; IQ3_M does, and is taken',
    });
    expect(within(20).path).toBe('m-Q4_K_M.gguf');
    // What is asked for is taken.
    expect(chooseFiles('o/x', files, 'Q8_0', () => false).weights[0]?.file.path).toBe('m-Q8_0.gguf');
  });
});

describe('a model whose name has a word of files beside models', () => {
  it.each([
    [['Qwen3.5-9B-MTP-Q4_K_M.gguf', 'Qwen3.5-9B-MTP-BF16.gguf'], undefined, 0],
    [['Foo-LoRA-merged.Q8_0.gguf'], undefined, 0],
    [['mmproj-F16.gguf', 'Foo-Adapter-Q4_K_M.gguf'], undefined, 1],
    [['mtp-Foo-Q4_K_M.gguf', 'Foo-MTP-Q4_K_M.gguf'], undefined, 1],
    [['MTP/mtp-Foo-Q4_K_M.gguf', 'Foo-Q8_0.gguf'], undefined, 1],
    [['Foo-imatrix.gguf', 'Foo-imatrix-Q4_K_M.gguf'], undefined, 1],
    [['imatrix-Q4_K_M.gguf', 'imatrix.gguf'], undefined, 0],
    [['Foo-lora-f16.gguf', 'Foo-Q4_K_M.gguf'], undefined, 1],
    [['Foo-Q4_K_M.gguf', 'Foo-MTP-Q8_0.gguf'], undefined, 0],
  ])('of %j asked for as %s', (names, asked, index) => {
    expect(choose(names, asked)).toBe(names[index]);
  });

  it('is never an adapter, a draft or a projector, which are smaller than the model', () => {
    const beside = [
      fileOf('Foo-lora-F16.gguf', 60),
      fileOf('mmproj-Foo-F16.gguf', 900),
      fileOf('mtp-Foo-F16.gguf', 900),
    ];
    const model = fileOf('Foo-Q4_K_M.gguf', 5000);
    expect(choose([...beside, model])).toBe('Foo-Q4_K_M.gguf');
    expect(choose([...beside, model], 'F16')).toBe('pull_quant_missing');
    expect(choose(beside.slice(1))).toBe('pull_no_weights');
    expect(choose([fileOf('Foo-MTP-F16.gguf', 16_000), model], 'F16')).toBe('Foo-MTP-F16.gguf');
  });

  it('is known by the name of its repository', () => {
    expect(choose(['lora-7b-Q4_K_M.gguf'], undefined, 'org/lora-7b-GGUF')).toBe('lora-7b-Q4_K_M.gguf');
    expect(choose(['lora-7b-Q4_K_M.gguf'], undefined, 'org/other')).toBe('pull_no_weights');
  });
});

describe('a file whose name is not plain', () => {
  const names = [
    'Meta Llama 3 (8B) Q4_K_M.gguf',
    'tiny+model[v2]-Q4_K_M.gguf',
    'modèle-été-Q4_K_M.gguf',
    '模型-Q4_K_M.gguf',
    'a&b=c%20d#e?f-Q4_K_M.gguf',
    "it's-Q4_K_M.gguf",
    '_under-Q4_K_M.gguf',
  ];
  it.each(names)('is taken: %s, under a name that any disk has', (name) => {
    const [planned] = chooseFiles('o/x', [fileOf(`dossier é/${name}`)], undefined).weights;
    expect(planned?.file.path).toBe(`dossier é/${name}`);
    expect(planned?.name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]*\.gguf$/);
  });

  it('has a name of its own for each model, and one for all its parts', () => {
    const all = names.map((name) => chooseFiles('o/x', [fileOf(name)], undefined).weights[0]?.name);
    expect(new Set(all).size).toBe(names.length);
    const parts = [1, 2].map((part) => fileOf(`é a-Q4_K_M-0000${part}-of-00002.gguf`));
    const planned = chooseFiles('o/x', parts, undefined).weights.map(({ name }) => name);
    expect(planned.map((name) => name.replace(/^.+?(?=-0000)/, ''))).toEqual([
      '-00001-of-00002.gguf',
      '-00002-of-00002.gguf',
    ]);
    expect(new Set(planned.map((name) => name.replace(/-0000.*$/, ''))).size).toBe(1);
  });

  it.each([
    '../a.gguf',
    'a/../b.gguf',
    '.hidden.gguf',
    'a\\b.gguf',
    'a\nb.gguf',
    'a\u202eb.gguf',
    '/a.gguf',
    'a//b.gguf',
    '\ud800.gguf',
  ])('is none where it leads elsewhere or cannot be seen: %j', (path) => {
    expect(choose([path])).toBe('pull_no_weights');
  });
});
