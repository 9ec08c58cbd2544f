import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openArtifact } from '../../src/artifact/index.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { floats, safetensorsFile } from '../weights/safetensors-file.js';
import { editHeader, editJson, onCopy } from './checkpoint.js';

const weights = 'model.safetensors';
const embedding = 'model.embed_tokens.weight';

describe('converting a bad checkpoint', () => {
  it.each([
    ['no directory', 'checkpoint_not_found', (d: string) => rmSync(d, { recursive: true })],
    ['no config.json', 'checkpoint_not_found', (d: string) => rmSync(join(d, 'config.json'))],
    ['no tokenizer.json', 'checkpoint_not_found', (d: string) => rmSync(join(d, 'tokenizer.json'))],
    ['no weights', 'checkpoint_not_found', (d: string) => rmSync(join(d, weights))],
    ['config.json that is not JSON', 'checkpoint_invalid', (d: string) => writeFileSync(join(d, 'config.json'), '{')],
    ['config.json that is a list', 'checkpoint_invalid', (d: string) => writeFileSync(join(d, 'config.json'), '[]')],
    ['truncated weights', 'checkpoint_invalid', (d: string) => truncateSync(join(d, weights), 100_000)],
    [
      'an unknown architecture',
      'unsupported_architecture',
      (d: string) => editJson(d, 'config.json', (c) => (c['model_type'] = 'mamba')),
    ],
    [
      'more layers than weights',
      'checkpoint_mismatch',
      (d: string) => editJson(d, 'config.json', (c) => (c['num_hidden_layers'] = 3)),
    ],
    [
      'fewer layers than weights',
      'checkpoint_mismatch',
      (d: string) => editJson(d, 'config.json', (c) => (c['num_hidden_layers'] = 1)),
    ],
    [
      'biases that config.json does not know',
      'checkpoint_mismatch',
      (d: string) =>
        editHeader(join(d, weights), (e) => {
          const name = 'model.norm.weight';
          const entry = e[name];
          if (entry !== undefined) e['model.layers.0.self_attn.q_proj.bias'] = entry;
          delete e[name];
        }),
    ],
    [
      'another vocabulary',
      'checkpoint_mismatch',
      (d: string) => editJson(d, 'config.json', (c) => (c['vocab_size'] = 400)),
    ],
    [
      'a transposed tensor',
      'checkpoint_mismatch',
      (d: string) =>
        editHeader(join(d, weights), (e) => {
          const entry = e[embedding];
          if (entry !== undefined) entry.shape = entry.shape.toReversed();
        }),
    ],
    [
      'a tensor of another rank',
      'checkpoint_mismatch',
      (d: string) => editHeader(join(d, weights), (e) => e[embedding]?.shape.push(1)),
    ],
    [
      'weights that are no numbers',
      'weight_not_finite',
      (d: string) => {
        const file = readFileSync(join(d, weights));
        file.fill(0xff, file.length - 400, file.length - 396);
        writeFileSync(join(d, weights), file);
      },
    ],
    [
      'stop ids that are no ids',
      'checkpoint_invalid',
      (d: string) => editJson(d, 'generation_config.json', (c) => (c['eos_token_id'] = [1, 'x'])),
    ],
    [
      'a temperature below zero',
      'checkpoint_invalid',
      (d: string) => editJson(d, 'generation_config.json', (c) => (c['temperature'] = -1)),
    ],
    [
      'a template that is none',
      'checkpoint_invalid',
      (d: string) => editJson(d, 'tokenizer_config.json', (c) => (c['chat_template'] = 7)),
    ],
    [
      'templates of which none is the default',
      'checkpoint_invalid',
      (d: string) =>
        editJson(
          d,
          'tokenizer_config.json',
          (c) => (c['chat_template'] = ['a', 'b'].map((name) => ({ name, template: 'x' }))),
        ),
    ],
    ['a broken tokenizer', 'tokenizer_invalid', (d: string) => writeFileSync(join(d, 'tokenizer.json'), '{')],
  ] as [string, string, (directory: string) => void][])('with %s answers %s and leaves nothing', (_, code, harm) =>
    onCopy('llama2', async (source, out) => {
      harm(source);
      await expect(convertCheckpoint({ source, out })).rejects.toMatchObject({ code });
      expect(readdirSync(dirname(out)).filter((name) => name !== 'llama2')).toEqual([]);
    }),
  );

  it('names tensor, expected and found shape', () =>
    onCopy('llama2', async (source, out) => {
      editJson(source, 'config.json', (config) => (config['vocab_size'] = 400));
      await expect(convertCheckpoint({ source, out })).rejects.toMatchObject({
        message: `tensor "${embedding}" has shape [387, 64]; config.json implies [400, 64]`,
        details: { tensor: embedding },
      });
    }));

  it('names the tensor whose weights do not fit f16', () =>
    onCopy('llama2', async (source, out) => {
      const path = join(source, weights);
      const file = readFileSync(path);
      file.writeFloatLE(1e6, 8 + Number(file.readBigUInt64LE(0)));
      writeFileSync(path, file);
      await expect(convertCheckpoint({ source, out, quant: 'f16' })).rejects.toMatchObject({
        code: 'weight_overflow',
        details: { tensor: expect.any(String) },
      });
    }));

  it('refuses a tokenizer with more tokens than the model', () =>
    onCopy('llama2', async (source, out) => {
      editJson(source, 'tokenizer.json', (tokenizer) => {
        const added = tokenizer['added_tokens'] as Record<string, unknown>[];
        added.push({ ...added[0], id: 387, content: '<|one more|>' });
      });
      await expect(convertCheckpoint({ source, out })).rejects.toMatchObject({ code: 'checkpoint_mismatch' });
    }));

  it('refuses an output that exists', () =>
    onCopy('llama2', async (source, out) => {
      mkdirSync(out);
      await expect(convertCheckpoint({ source, out })).rejects.toMatchObject({ code: 'output_exists' });
      expect(readdirSync(out)).toEqual([]);
    }));
});

describe('converting a checkpoint with more tensors than it needs', () => {
  const convertWith = (extra: string): Promise<unknown> =>
    onCopy('llama3', async (source, out) => {
      writeFileSync(join(source, 'extra.safetensors'), safetensorsFile({ [extra]: floats(1, 2) }));
      editJson(source, 'model.safetensors.index.json', (index) => {
        Object.assign(index['weight_map'] as object, { [extra]: 'extra.safetensors' });
      });
      return convertCheckpoint({ source, out });
    });

  it.each(['lm_head.weight', 'model.rotary_emb.inv_freq', 'model.layers.0.self_attn.rotary_emb.inv_freq'])(
    'passes over %s, which no forward pass reads',
    async (name) => {
      await expect(convertWith(name)).resolves.toMatchObject({ id: 'llama3' });
    },
  );

  it('refuses a bias that its config.json does not announce', async () => {
    const name = 'model.layers.0.self_attn.q_proj.bias';
    await expect(convertWith(name)).rejects.toMatchObject({ code: 'checkpoint_mismatch', details: { tensor: name } });
  });
});

describe('settings of a checkpoint', () => {
  const manifestOf = (change: (directory: string) => void) =>
    onCopy('llama2', async (source, out) => {
      change(source);
      await convertCheckpoint({ source, out });
      await using artifact = await openArtifact(out);
      return artifact.manifest;
    });
  const editConfig = (change: (json: Record<string, unknown>) => void) => (directory: string) =>
    editJson(directory, 'tokenizer_config.json', change);

  it.each([
    ['text', 'one'],
    [
      'a list with a default',
      [
        { name: 'tool_use', template: 'two' },
        { name: 'default', template: 'one' },
      ],
    ],
    ['a list of one', [{ name: 'rag', template: 'one' }]],
  ])('take a template that is %s', async (_, template) => {
    const manifest = await manifestOf(editConfig((json) => (json['chat_template'] = template)));
    expect(manifest.chat.template).toBe('one');
  });

  it('take chat_template.jinja before chat_template.json before tokenizer_config.json', async () => {
    const json = (d: string): void => writeFileSync(join(d, 'chat_template.json'), '{"chat_template":"from json"}');
    expect((await manifestOf(json)).chat.template).toBe('from json');
    const manifest = await manifestOf((directory) => {
      json(directory);
      writeFileSync(join(directory, 'chat_template.jinja'), 'from jinja');
    });
    expect(manifest.chat.template).toBe('from jinja');
  });

  it('take an additional template where there is no other, the default before others', async () => {
    const add = (directory: string, name: string): void => {
      mkdirSync(join(directory, 'additional_chat_templates'), { recursive: true });
      writeFileSync(join(directory, 'additional_chat_templates', name), `from ${name}`);
    };
    const without = (directory: string): void =>
      editJson(directory, 'tokenizer_config.json', (json) => delete json['chat_template']);
    const only = await manifestOf((directory) => {
      without(directory);
      add(directory, 'tool_use.jinja');
      add(directory, 'README.md');
    });
    expect(only.chat.template).toBe('from tool_use.jinja');
    const several = await manifestOf((directory) => {
      without(directory);
      for (const name of ['a', 'default', 'tool_use']) add(directory, `${name}.jinja`);
    });
    expect(several.chat.template).toBe('from default.jinja');
    const beside = await manifestOf((directory) => add(directory, 'default.jinja'));
    expect(beside.chat.template).toContain('<|im_start|>');
  });

  it('end answers at their end token and at control tokens whose text says so, whatever generation_config.json has', async () => {
    // <|endoftext|> is 313, <|im_end|> 315.
    const ended = async (change: (directory: string) => void): Promise<readonly number[]> =>
      (await manifestOf(change)).generation.stopTokenIds;
    const stale = (directory: string): void => {
      editJson(directory, 'generation_config.json', (json) => (json['eos_token_id'] = 7));
    };
    expect(await ended(stale)).toEqual([7, 315, 313]);
    const plain = await ended((directory) => {
      stale(directory);
      editJson(directory, 'tokenizer_config.json', (json) => (json['eos_token'] = '<|endoftext|>'));
      editJson(directory, 'tokenizer.json', (json) => {
        for (const token of json['added_tokens'] as { content: string; special: boolean }[]) {
          if (token.content === '<|im_end|>') token.special = false;
        }
      });
    });
    // <|im_end|> is an ordinary token there.
    expect(plain).toEqual([7, 313]);
  });

  it('may lack a template, a generation config and the tokenizer config', async () => {
    const manifest = await manifestOf((directory) => {
      rmSync(join(directory, 'tokenizer_config.json'));
      rmSync(join(directory, 'generation_config.json'));
    });
    expect(manifest.chat).toEqual({ template: null, bosToken: null, eosToken: null });
    expect(manifest.files.map(({ path }) => path)).toEqual([
      'config.json',
      'tokenizer.bin',
      'vocabulary.bin',
      'weights.bin',
    ]);
  });

  it('take tokens that are objects', async () => {
    const manifest = await manifestOf(
      editConfig((json) => {
        json['bos_token'] = { __type: 'AddedToken', content: '<s>', lstrip: false };
        json['eos_token'] = { content: '</s>' };
      }),
    );
    expect(manifest.chat).toMatchObject({ bosToken: '<s>', eosToken: '</s>' });
  });

  it('take stop ids from config.json when generation_config.json has none', async () => {
    const manifest = await manifestOf((directory) => {
      editJson(directory, 'generation_config.json', (json) => delete json['eos_token_id']);
      editJson(directory, 'config.json', (json) => (json['eos_token_id'] = [3, 4, 3]));
    });
    expect(manifest.generation.stopTokenIds.slice(0, 2)).toEqual([3, 4]);
  });

  it('are greedy when sampling is off, and keep what is recommended', async () => {
    const recommended = { temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0.05, repetition_penalty: 1.1 };
    const set = (doSample: boolean) => (directory: string) =>
      editJson(directory, 'generation_config.json', (json) =>
        Object.assign(json, recommended, { do_sample: doSample }),
      );
    const others = { topP: 0.95, topK: 20, minP: 0.05, repetitionPenalty: 1.1 };
    expect((await manifestOf(set(true))).generation).toMatchObject({ temperature: 0.6, ...others });
    expect((await manifestOf(set(false))).generation).toMatchObject({ temperature: 0, ...others });
  });
});
