// S14 with the admin API in use. No file, no log and no answer to another client has text that an operator types, sees
// or sends.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { createKeySecret } from '../../../src/metering/index.js';
import { always, completion, startRuntime } from '../serving/runtime.js';
import { chat, makeKey, runtimeAt } from '../serving/start-gateway.js';
import { findNeedles } from '../../support/find-needles.js';
import { startAdmin } from './start-admin.js';

const canary = (what: string): string => `${what}${randomBytes(12).toString('hex')}`;
const PROMPT = canary('prompt');
const ANSWER = canary('answer');
const REFUSAL = canary('refusal');
const HEADER = canary('header');
const QUERY = canary('query');
const BODY = canary('body');
const WRONG = createKeySecret('gwa').secret;

it('keeps nothing of a trial, of a secret or of what was mistyped', async () => {
  const refusal = JSON.stringify({ error: { message: `cannot read ${PROMPT} ${REFUSAL}` } });
  let plays = 0;
  await using runtime = await startRuntime((asked, socket) =>
    plays++ % 2 === 0
      ? always(completion(3, 2).replace('"Hi"', JSON.stringify(ANSWER)))(asked, socket)
      : always(refusal, 400)(asked, socket),
  );
  const key = makeKey();
  await using admin = await startAdmin({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  const { started, adminPort } = admin;
  const origin = `http://127.0.0.1:${adminPort}`;
  const page = await admin.signIn();
  const secrets: string[] = [];
  for (let round = 0; round < 10; round++) {
    const tried = await page.ask('POST', '/admin/api/models/demo/try', { body: { message: PROMPT } });
    // The operator who tried it sees the answer.
    expect(tried.text).toContain(round % 2 === 0 ? ANSWER : REFUSAL);
    await chat(started, key, { messages: [{ role: 'user', content: PROMPT }] });
    plays++;
    const made = await page.ask('POST', '/admin/api/keys', { body: { name: `key ${round}` } });
    const { secret, key: shown } = made.json as { secret: string; key: { id: string } };
    const rotated = await page.ask('POST', `/admin/api/keys/${shown.id}/rotate`, { body: { grace_s: 60 } });
    secrets.push(secret, (rotated.json as { secret: string }).secret);
    for (const body of [{ [BODY]: 1 }, { name: [BODY] }, { name: BODY.repeat(20) }, BODY, { limits: { [BODY]: 1 } }]) {
      await page.ask('POST', '/admin/api/keys', { body, headers: { 'x-note': HEADER, 'user-agent': HEADER } });
      await page.ask('POST', '/admin/api/models/demo/try', { body });
    }
    await page.ask('GET', `/admin/api/keys?${QUERY}=x`);
    await page.ask('GET', `/admin/api/requests?cursor=${QUERY}`);
    await page.ask('GET', `/admin/api/${QUERY}/x?key=${QUERY}`);
    await page.ask('GET', '/admin/api/keys', {
      headers: { cookie: `x=${HEADER}`, host: `${HEADER}${HEADER}.example` },
    });
    await page.ask('GET', '/admin/api/keys', {
      headers: { origin: `http://${HEADER}${HEADER}.example`, 'if-match': HEADER },
    });
    await admin.raw('POST', '/admin/api/session', { body: { token: WRONG }, headers: { origin } });
    await admin.raw('GET', '/admin/api/keys', { headers: { authorization: `Bearer ${WRONG}` } });
    await page.ask('POST', '/admin/api/config/validate', { body: { text: `gateway_id: gw_a\n${BODY}: ${BODY}\n` } });
    await page.ask('PUT', '/admin/api/config', { body: { text: `api_key: ${secret}` }, headers: { 'if-match': 'x' } });
  }
  const needles = [
    PROMPT,
    ANSWER,
    REFUSAL,
    HEADER,
    QUERY,
    BODY,
    WRONG,
    admin.token,
    page.csrfToken,
    page.cookie.split('=')[1] ?? '',
    key.secret,
    ...secrets,
  ];
  const { hits, search, searchFiles } = findNeedles(needles);
  const files = searchFiles(dirname(started.path));
  expect(files.some((path) => readFileSync(path, 'latin1').includes(secrets[0]?.slice(0, 10) ?? 'none'))).toBe(true);
  search('the log', JSON.stringify([started.lines, started.events]));
  expect(started.lines.length).toBeGreaterThan(150);
  for (const path of [
    'audit?limit=200',
    'audit/export',
    'requests?limit=200',
    'keys?limit=200',
    'overview',
    'config',
    'system',
    'usage?by=key',
    'health',
    'scans',
    'models',
    'runtimes',
  ]) {
    search(path, (await admin.script('GET', `/admin/api/${path}`)).text);
  }
  search('metrics', await (await fetch(`${started.url}/metrics`)).text());
  expect(hits).toEqual([]);
});
