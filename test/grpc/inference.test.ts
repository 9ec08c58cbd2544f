import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FinishReason, type Client } from '../../src/client/index.js';
import { startProduction, type Production } from './production.js';

let production: Production;
let client: Client;
beforeAll(async () => {
  production = await startProduction();
  client = production.client(production.issued.data);
});
afterAll(() => production[Symbol.asyncDispose]());

const question = { messages: [{ role: 'user', content: 'What is the capital of Norway?' }], sampling: { temperature: 0 } };

describe('chat over gRPC', () => {
  it('answers whole and as a stream with the same text', async () => {
    const whole = await client.chat({ ...question, max_tokens: 40 });
    const text = whole.choices[0]?.message?.content ?? '';
    expect(text).toContain('Oslo');
    expect(whole.choices[0]?.finish_reason).toBe(FinishReason.FINISH_REASON_STOP);
    let streamed = '';
    const events: string[] = [];
    for await (const chunk of client.stream({ ...question, max_tokens: 40 })) {
      streamed += chunk.delta?.content ?? '';
      events.push(...(['begin', 'delta', 'end', 'usage'] as const).filter((name) => chunk[name] !== null));
    }
    expect(streamed).toBe(text);
    expect([events[0], events.at(-2), events.at(-1)]).toEqual(['begin', 'end', 'usage']);
  });
});
