// Zero retention (S14): after 1,000 requests of every kind nothing of a prompt, an answer or a secret is in a file, a log, a
// metric, a report of a crash, or the answer to another client.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createGatewayOperator, parseGatewayConfig } from '../../src/gateway/index.js';
import { createKeySecret } from '../../src/metering/index.js';
import { findNeedles } from '../support/find-needles.js';
import { canaryFaults } from '../support/retention/canary-faults.js';
import { canaryBody, ignore, sendCanaries } from '../support/retention/canary-requests.js';
import { canary, createCanaries } from '../support/retention/canaries.js';
import { keyHeaders, startProcess } from './hardening-gateway.js';
import { startFaulty } from './hardening-upstreams.js';

const canaries = createCanaries();
const MISTYPED = createKeySecret('gwk').secret;

it('keeps nothing of 1,000 requests, good and bad', async () => {
  const faults = canaryFaults(canaries);
  await using runtime = await startFaulty(faults);
  const upstreams = Object.fromEntries(Object.keys(faults).map((name) => [name, runtime.url]));
  const secretFile = join(process.env['TMPDIR'] ?? '/tmp', `${canary('secret')}.txt`);
  writeFileSync(secretFile, canaries.credential, { mode: 0o600 });
  await using gateway = await startProcess({
    upstreams,
    passthrough: ['/v1/rerank'],
    limits: '{ body_mib: 1 }',
    runtimeFields: `, api_key: { file: ${JSON.stringify(secretFile)} }`,
  });
  const { port, key, file } = gateway;
  const { config } = parseGatewayConfig(readFileSync(file.path, 'utf8'), file.path);
  const operator = await createGatewayOperator(file.path, config, { kind: 'cli' }, () => {});
  const { secret: admin } = (await operator.run('admin-token.create')) as { secret: string };
  const { secret: second } = (await operator.run('keys.create', { name: 'second' })) as { secret: string };
  const made = createKeySecret('gwk').secret;
  await ignore(fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${admin}` } }));
  await ignore(fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${made}` } }));
  const whom = { port, key, mistyped: MISTYPED, pathOf: (_: string, api: string): string => `/v1/${api}` };
  expect(await sendCanaries(whom, canaries, Object.keys(faults))).toBeGreaterThanOrEqual(1_000);
  await ignore(
    fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: keyHeaders(second),
      body: canaryBody(canaries, 'good'),
    }),
  );

  const needles = [...Object.values(canaries), MISTYPED, key, second, admin, made];
  const { hits, search, searchFiles } = findNeedles(needles);
  const files = searchFiles(file.directory);
  // What may be there is found: the search reads what was written.
  expect(files.some((path) => readFileSync(path, 'latin1').includes(second.slice(0, 10)))).toBe(true);
  const ask = async (target: string, init: RequestInit = {}): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, init);
    search(`${target} (${answer.status})`, JSON.stringify([...answer.headers]) + (await answer.text()));
  };
  await ask('/metrics');
  await ask('/health');
  await ask('/ready');
  await ask('/openapi.json');
  await ask('/v1/models', { headers: keyHeaders(key) });
  await ask('/v1/models/none', { headers: keyHeaders(key) });
  for (const text of ['', 'x', '{}', '{"model":"none"}', '{"model":"not-http"}', '{"model":"reset","model":"x"}']) {
    await ask('/v1/chat/completions', { method: 'POST', headers: keyHeaders(key), body: text });
  }
  await ask('/v1/chat/completions', { method: 'POST', body: '{}' });
  search('the audit log', JSON.stringify(await operator.run('audit.read', { limit: 1_000 })));
  search('the request log', JSON.stringify(await operator.run('requests', { limit: 1_000 })));
  search('usage', JSON.stringify(await operator.run('usage', { by: 'model' })));
  search('a report of a crash', await gateway.report());
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
  searchFiles(file.directory);
  search('the log', gateway.output());
  expect(gateway.output().split('\n').length).toBeGreaterThan(1_000);
  expect(hits).toEqual([]);
});
