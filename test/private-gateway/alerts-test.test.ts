import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SECRET, startReceiver } from '../alerts/start-receiver.js';

const home = mkdtempSync(join(tmpdir(), 'alerts-test-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(product: string, ...words: readonly string[]): Promise<Ran> {
  const env = { ...process.env, HOOK: SECRET, SERVICE: 'x'.repeat(32), NO_COLOR: '1' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [`dist/src/bin/${product}.js`, ...words], { env }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe.each([
  ['private-gateway', { gateway_id: 'gw_test' }],
  ['hosted-api', { secret: { env: 'SERVICE' } }],
])('%s alerts test', (product, common) => {
  function writeConfig(webhooks: readonly object[]): string {
    const path = join(home, `${product}.yaml`);
    writeFileSync(path, JSON.stringify({ ...common, alerts: { webhooks } }));
    return path;
  }

  it('sends a signed test event and says what came of it', async () => {
    await using good = await startReceiver();
    await using bad = await startReceiver((_, response) => void response.writeHead(500).end());
    const secret = { env: 'HOOK' };
    const path = writeConfig([
      { id: 'good', url: good.url, secret },
      { id: 'bad', url: bad.url, secret },
    ]);
    const one = await run(product, 'alerts', 'test', '--config', path, '--webhook', 'good');
    expect(one).toEqual({ status: 0, stdout: 'good: delivered (status 200)\n', stderr: '' });
    expect(good.got).toMatchObject([
      { isSigned: true, body: { type: 'test', source: { product }, data: { webhook: 'good' } } },
    ]);
    const all = await run(product, 'alerts', 'test', '--config', path, '--json');
    expect(all.status).toBe(4);
    expect(JSON.parse(all.stdout)).toEqual({
      webhooks: [
        { webhook: 'good', delivered: true, status: 200, reason: null },
        { webhook: 'bad', delivered: false, status: 500, reason: 'status' },
      ],
    });
  });

  it('says which webhooks there are where it knows none of that id, and what a secret must be', async () => {
    const path = writeConfig([{ id: 'ops', url: 'http://127.0.0.1:9/', secret: { env: 'SERVICE' } }]);
    const unknown = await run(product, 'alerts', 'test', '--config', path, '--webhook', 'other');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('it has ops');
    const wrong = await run(product, 'alerts', 'test', '--config', path);
    expect(wrong.status).toBe(3);
    expect(wrong.stderr).toContain('echo whsec_$(openssl rand -base64 32)');
    const none = await run(product, 'alerts', 'test', '--config', writeConfig([]));
    expect(none.stderr).toContain('the file has no webhook');
  });
});
