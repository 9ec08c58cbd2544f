// Which models a new key may name: the same rule and the same words for a command and for the admin API.
import { describe, expect, it } from 'vitest';
import { askServer } from '../../src/control/index.js';
import { gatewayControlPath } from '../../src/gateway/operations/gateway-control-path.js';
import { modelOf } from './serving/start-gateway.js';
import { startAdmin } from './admin/start-admin.js';

const RUNTIMES = [{ id: 'r', kind: 'openai-compatible', base_url: 'http://127.0.0.1:9' }];

describe('the models of a new key', () => {
  it.each([
    [['llama-3'], 'models has llama-3, which no model of this gateway has. Did you mean llama3?'],
    [['llama3', 'nothing-near-it'], 'models has nothing-near-it, which no model of this gateway has. A *'],
    [['with blank'], 'models has a name, which no model of this gateway has.'],
  ])('that name %j are refused alike by a command and by the admin API', async (models, words) => {
    await using admin = await startAdmin({ runtimes: RUNTIMES, models: [modelOf({ id: 'llama3' })] });
    const keys = (): number => admin.started.meter.keys().length;
    const before = keys();
    const asked = { operation: 'keys.create', params: { name: 'a', models } };
    await expect(askServer(gatewayControlPath(admin.started.dataDir), asked)).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining(words) as string,
    });
    const answered = await admin.script('POST', '/admin/api/keys', { body: { name: 'a', models } });
    expect([answered.status, answered.text]).toEqual([400, expect.stringContaining(words) as string]);
    expect(keys()).toBe(before);
  });

  it('may be those of the file, and patterns of models to come', async () => {
    await using admin = await startAdmin({ runtimes: RUNTIMES, models: [modelOf({ id: 'llama3' })] });
    const params = { name: 'a', models: ['llama3', 'qwen*'] };
    const asked = { operation: 'keys.create', params };
    const made = (await askServer(gatewayControlPath(admin.started.dataDir), asked)) as { key: unknown };
    expect(made.key).toMatchObject({ models: params.models });
    expect((await admin.script('POST', '/admin/api/keys', { body: params })).status).toBe(200);
    await admin.started.rewrite({ models: [modelOf({ id: 'qwen3' })] });
    const later = await admin.script('POST', '/admin/api/keys', { body: { name: 'b', models: ['llama3'] } });
    expect(later.text).toContain('which no model of this gateway has');
    await expect(askServer(gatewayControlPath(admin.started.dataDir), asked)).rejects.toMatchObject({
      code: 'invalid_value',
    });
  });
});
