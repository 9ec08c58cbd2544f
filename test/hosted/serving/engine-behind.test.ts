// The hosted API before a gateway before the engine: what the engine counts is what the account pays, also where the client did not ask for usage.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngineBehind, type EngineBehind } from '../../gateway/serving/engine-behind.js';
import { settledOf, startHosted, type Payer, type StartedHosted } from './start-hosted.js';

const PROVIDER = 'pgw/lab';
const QUESTION = { messages: [{ role: 'user', content: 'What is the capital of Norway?' }], temperature: 0 };
const THINKING = { ...QUESTION, chat_template_kwargs: { enable_thinking: true } };

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

describe('streams of the engine behind a gateway behind the hosted API', () => {
  let behind: EngineBehind;
  let node: StartedHosted;
  beforeAll(async () => {
    behind = await startEngineBehind('node');
    node = await startHosted({ gateways: { allow_private: ['127.0.0.0/8'] } });
    const { secret: credential } = behind.key;
    const base_url = behind.gateway.url;
    await node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url, credential });
    await node.price('demo', { provider: PROVIDER });
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    await behind[Symbol.asyncDispose]();
  });

  const ask = async ({ headers }: Payer, body: object): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${node.port}/${PROVIDER}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', ...body }),
    });
    expect(answer.status).toBe(200);
    return answer.text();
  };

  it.each([
    ['with thinking', THINKING],
    ['without thinking', QUESTION],
  ])(
    'are charged what the engine counted, %s, and hide the usage that their client did not ask for',
    async (_, body) => {
      const payer = await node.payer();
      const { usage } = JSON.parse(await ask(payer, body)) as { usage: Usage };
      const shown = await ask(payer, { ...body, stream: true, stream_options: { include_usage: true } });
      const hidden = await ask(payer, { ...body, stream: true });
      expect(shown).toContain('"usage":{');
      expect(hidden).not.toContain('"usage":{');
      const reasoning = usage.completion_tokens_details.reasoning_tokens;
      expect(reasoning > 0).toBe(body === THINKING);
      for (const one of await settledOf(node, payer, 3)) {
        const { promptTokens, cachedTokens, completionTokens, isEstimated, costMicro } = one;
        expect([promptTokens, completionTokens, isEstimated]).toEqual([
          usage.prompt_tokens,
          usage.completion_tokens,
          false,
        ]);
        // Of 1,000 nano-units for a prompt token, 100 for a cached one and 2,000 for one of the completion, its thinking among it.
        const nano = 1_000 * (promptTokens - cachedTokens) + 100 * cachedTokens + 2_000 * completionTokens;
        expect(costMicro).toBe(BigInt(Math.ceil(nano / 1_000)));
      }
      await expect
        .poll(() => behind.gateway.lines.slice(-3).map((line) => [line['prompt_tokens'], line['completion_tokens']]))
        .toEqual(Array.from({ length: 3 }, () => [usage.prompt_tokens, usage.completion_tokens]));
    },
  );
});
