import { expect, it } from 'vitest';
import { AppError, createKindOf, toErrorData, toFileError, withoutPath } from '../../src/base/index.js';
import { createErrorFormat } from '../../src/endpoint/index.js';
import { withGatewayId } from '../../src/gateway/serving/gateway-response.js';
import { withServiceId } from '../../src/hosted/serving/hosted-response.js';
import { relayedApis, toFinalBytes } from '../../src/relay-serving/index.js';
import { codeTables } from '../repo/code-tables.js';

const PATH = '/srv/private/data/hosted.db';
const unavailable = new AppError('database_unavailable', `${PATH} cannot be used now: disk is full`, { path: PATH });
const kindOf = createKindOf(Object.values(codeTables));

it('an error of a file names the file to clients, and not where it is', () => {
  expect(withoutPath(toErrorData(unavailable))).toEqual({
    code: 'database_unavailable',
    message: 'hosted.db cannot be used now: disk is full',
    details: {},
  });
  const windows = { code: 'x', message: String.raw`C:\data\a.db is gone`, details: { path: String.raw`C:\data\a.db` } };
  expect(withoutPath(windows).message).toBe('a.db is gone');
  const denied = toFileError(Object.assign(new Error('EACCES'), { code: 'EACCES' }), 'write', PATH);
  expect(withoutPath(toErrorData(denied)).message).toMatch(/^hosted\.db cannot be written/);
});

it.each([
  { code: 'a', message: 'GET /v1/models lists them', details: {} },
  { code: 'a', message: 'models[0].id is wrong', details: { path: 'models[0].id' } },
])('an error without a place of a file stays as it is: $message', (error) => {
  expect(withoutPath(error)).toBe(error);
});

it.each([
  ['the gateway', withGatewayId(createErrorFormat(kindOf), 'gw_a')],
  ['the hosted API', withServiceId(createErrorFormat(kindOf), 'service')],
])('no answer of %s has the place of a file', (_, errors) => {
  const response = errors.toErrorResponse(toErrorData(unavailable), { id: 'a', path: '/v1/models' });
  expect(response.body).toContain('hosted.db cannot be used now');
  expect(JSON.stringify(response)).not.toContain('/srv');
});

it.each(Object.entries(relayedApis))('no last event of %s has the place of a file', (_, api) => {
  const last = Buffer.from(toFinalBytes(api, unavailable, kindOf)).toString();
  expect([last.includes('hosted.db cannot be used now'), last.includes('/srv')]).toEqual([true, false]);
});
