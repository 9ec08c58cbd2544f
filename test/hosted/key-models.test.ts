// Which models a new key of an account may name.
import { describe, expect, it } from 'vitest';
import { providerAt, startHosted, type StartedHosted } from './serving/start-hosted.js';

const NOWHERE = 'http://127.0.0.1:9';
const PROVIDERS = [
  providerAt(NOWHERE),
  providerAt(NOWHERE, { id: 'named', models: ['gpt-5'] }),
  providerAt(NOWHERE, { id: 'free', unpriced: 'free' }),
  providerAt(NOWHERE, { id: 'new' }),
];

async function create(node: StartedHosted, models: readonly string[]): Promise<unknown> {
  const { account } = await node.payer();
  return node.operate('keys.create', { account_id: account.id, name: 'a', models });
}

describe('the models of a key of an account', () => {
  it('are refused where no provider or model has the name, with the nearest that there is', async () => {
    await using node = await startHosted({ providers: PROVIDERS });
    await node.price('llama3');
    for (const [wrong, words] of [
      ['llama3', 'models has llama3, which is no provider, gateway or model of this service. Did you mean up/llama3?'],
      ['up/lama3', 'Did you mean up/llama3?'],
      ['up2', 'Did you mean up?'],
      ['nmed/gpt-5', 'Did you mean named/gpt-5?'],
      ['named/gpt-4-turbo-preview', 'models has named/gpt-4-turbo-preview, which is no provider'],
      ['pgw/berlin/llama3', 'models has pgw/berlin/llama3, which is no provider'],
    ] as const) {
      await expect(create(node, ['up', wrong]), wrong).rejects.toMatchObject({
        code: 'invalid_value',
        message: expect.stringContaining(words) as string,
      });
    }
  });

  it('may be providers, models that are known, any of a provider without a known one, and patterns', async () => {
    await using node = await startHosted({ providers: PROVIDERS });
    await node.price('llama3');
    const models = ['up', 'up/llama3', 'named/gpt-5', 'free/anything', 'new/not-priced-yet', 'pgw/berlin/*', 'other/*'];
    expect(await create(node, models)).toMatchObject({ key: { models } });
  });
});
