import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSupervisor } from '../../src/actor/index.js';
import { createTextEncoder, tokenizerKey, tokenizerActorSpec } from '../../src/completion/index.js';
import { compileTokenizer, openTokenizer } from '../../src/tokenizer/index.js';

const LLAMA3 = join(process.cwd(), 'test/vectors/tokenizers/llama3/tokenizer.json');

it.each(['inline', 'thread'] as const)(
  'a text has the tokens that its tokenizer puts around it where they are asked for, placement %s',
  async (placement) => {
    const compiled = compileTokenizer(readFileSync(LLAMA3, 'utf8'));
    const tokenizer = openTokenizer(compiled);
    const begin = tokenizer.tokenToId('<|begin_of_text|>');
    expect(begin).toBeTypeOf('number');
    const supervisor = await createSupervisor({
      id: 'test',
      strategy: 'oneForOne',
      intensity: 0,
      periodMs: 1000,
      children: [tokenizerActorSpec({ compiled, controlTexts: [] }, placement)],
    });
    const ref = supervisor.ref(tokenizerKey);
    const framed = createTextEncoder(tokenizer, ref, { addSpecialTokens: true });
    const bare = createTextEncoder(tokenizer, ref, { addSpecialTokens: false });
    // The longer one goes to the actor.
    for (const text of ['To be or not', 'to be, '.repeat(20_000)]) {
      expect(await framed(text, undefined)).toEqual([begin, ...(await bare(text, undefined))]);
    }
    await supervisor.stop();
  },
);
