// The commands of hosted-api, on the database alone and on a node that runs.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryDirectory, type Ended } from '../e2e/processes.js';
import { runHere } from '../e2e/run-here.js';
import { startHosted } from './serving/start-hosted.js';

const { path: folder, remove } = createTemporaryDirectory();
afterAll(remove);
const run = (...args: string[]): Promise<Ended> => runHere(args, folder, '', { program: 'hosted-api', cwd: folder });
const json = async (...args: string[]): Promise<unknown> => {
  const ended = await run(...args, '--json');
  expect(ended).toMatchObject({ code: 0 });
  return JSON.parse(ended.stdout) as unknown;
};

describe('commands of hosted-api without a node', () => {
  beforeAll(async () => expect((await run('init', '-config', 'hosted.yaml')).code).toBe(0), 60_000);

  it('init wrote a file and a secret that only their owner may read, and touches neither again', async () => {
    const before = readFileSync(join(folder, 'hosted-secret'), 'utf8');
    expect(before).toMatch(/^[0-9a-f]{64}\n$/);
    for (const name of ['hosted.yaml', 'hosted-secret']) {
      expect((statSync(join(folder, name)).mode & 0o777).toString(8)).toBe('600');
    }
    const again = await run('init', '--config=hosted.yaml');
    expect(again).toMatchObject({ code: 3, stdout: '' });
    expect(again.stderr).toContain('hosted_config_exists');
    expect(readFileSync(join(folder, 'hosted-secret'), 'utf8')).toBe(before);
    expect(await json('migrate', '--config', 'hosted.yaml')).toEqual({ steps: expect.any(Number) as number });
    expect(await json('migrate', '--config', 'hosted.yaml')).toEqual({ steps: 0 });
  });

  it('book money once by its reference, and refuse what cannot be', async () => {
    const made = (await json('accounts', 'create', '-config', 'hosted.yaml', '--name', 'Ann')) as {
      account: { id: string };
    };
    const { id } = made.account;
    const credit = ['accounts', 'credit', id, '--config', 'hosted.yaml', '--reference', 'p-1', '--amount', '20.50'];
    for (const already of [false, true])
      expect(await json(...credit)).toMatchObject({ account: { balance: '20.50' }, already_booked: already });
    expect((await run(...credit)).stdout).toContain('was booked before');
    const other = await run(...credit.slice(0, -1), '20.51');
    expect(other).toMatchObject({ stdout: '' });
    expect(other.stderr).toContain('payment_reference_used');
    expect(other.stderr).toContain('with 20.50 USD');
    const wrong = await run(
      'accounts',
      'credit',
      id,
      '--config',
      'hosted.yaml',
      '--reference',
      'p-2',
      '--amount',
      '1e3',
    );
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('invalid_value');
    const below = await run('accounts', 'credit', id, '--config', 'hosted.yaml', '--reference', 'p-3', '--amount=-21');
    expect([below.code === 0, below.stdout]).toEqual([false, '']);
    writeFileSync(join(folder, 'prices.csv'), 'provider,model,currency,input,output\nopenai,gpt-5,USD,x,1\n');
    const prices = await run('prices', 'import', 'prices.csv', '--config', 'hosted.yaml');
    expect(prices).toMatchObject({ code: 2 });
    expect(prices.stderr).toContain('prices.csv:2: input must be a decimal number');
    const gateway = await run('gateways', 'add', 'berlin', '--config', 'hosted.yaml', '--url', 'http://127.0.0.1:1');
    expect(gateway).toMatchObject({ code: 2 });
    expect(gateway.stderr).toContain('gateway_url_refused');
    expect(await json('ledger', 'verify', '--config', 'hosted.yaml')).toMatchObject({ ok: true, groups: 1 });
  });
});

describe('commands of hosted-api on a node that runs', () => {
  it('ask it, and a key that they disable ends at once', async () => {
    await using started = await startHosted({});
    const config = join(started.home, 'hosted.yaml');
    const { account } = await started.payer(5);
    expect(await json('accounts', 'list', '--config', config)).toMatchObject({
      accounts: [{ id: account.id, balance: '5.00' }],
    });
    const key = (await json(
      'keys',
      'create',
      account.id,
      '--config',
      config,
      '--name',
      'ci',
      '--budget',
      '1.00/day',
    )) as {
      secret: string;
      key: { id: string };
    };
    const balance = (): Promise<Response> =>
      fetch(`http://127.0.0.1:${started.port}/v1/balance`, { headers: { authorization: `Bearer ${key.secret}` } });
    expect((await balance()).status).toBe(200);
    await json('keys', 'disable', key.key.id, '--config', config);
    expect((await balance()).status).toBe(401);
    const unknown = await run('gateways', 'sync', 'nobody', '--config', config);
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toContain('gateway_unknown');
    expect(JSON.stringify(started.events) + JSON.stringify(started.lines)).not.toContain(key.secret);
  });
});
