// `private-gateway usage` and `requests`: the same options of time as in hosted-api, on rows of known times.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateGateway } from '../../../src/bin/private-gateway/product.js';
import { runInProcess, type Printed } from '../../cli/run-in-process.js';
import { newRow } from '../../metering/open-test-meter.js';
import { startGateway, makeKey, type StartedGateway } from '../serving/start-gateway.js';

const DAY_MS = 86_400_000;
/** A day long ago, within the retention of the log. */
const DAY = Math.floor(Date.now() / DAY_MS) * DAY_MS - 10 * DAY_MS;
const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

let gateway: StartedGateway;

beforeAll(async () => {
  gateway = await startGateway({ virtual_keys: [makeKey().entry], runtimes: [], models: [] });
  const { meter } = gateway;
  for (let i = 0; i < 4; i++) meter.recordRequest({ ...newRow(`r${i}`, DAY + (i * DAY_MS) / 2), keyId: 'vk_a' });
  const request = { requestId: 'now', keyId: 'vk_a', model: 'm', promptTokensBound: 1, choices: 1 };
  const hold = await meter.admit(request);
  const counts = { promptTokens: 3, completionTokens: 4, cachedTokens: 0, reasoningTokens: 0 };
  await hold.settle({ ...counts, isEstimated: false, began: true });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const run = (line: string): Promise<Printed> =>
  runInProcess([...line.split(' '), '--config', gateway.path], { product: privateGateway });
const idsOf = async (line: string): Promise<readonly string[]> => {
  const { status, stdout, stderr } = await run(`${line} --json`);
  expect([status, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n').filter((each) => each !== '');
  return lines.map((each) => (JSON.parse(each) as { request_id: string }).request_id);
};
const requestsOf = async (line: string): Promise<number> => {
  const { status, stdout, stderr } = await run(`${line} --json`);
  expect([status, stderr]).toEqual([0, '']);
  const { usage } = JSON.parse(stdout) as { usage: readonly { requests: number }[] };
  return usage.reduce((sum, { requests }) => sum + requests, 0);
};

describe('private-gateway', () => {
  it('requests shows the newest of a time, in its order', async () => {
    expect(await idsOf('requests')).toEqual(['r0', 'r1', 'r2', 'r3']);
    expect(await idsOf(`requests --from ${toDay(DAY + DAY_MS)}`)).toEqual(['r2', 'r3']);
    expect(await idsOf(`requests --to ${toDay(DAY + DAY_MS)}`)).toEqual(['r0', 'r1']);
    expect(await idsOf(`requests --from ${toDay(DAY)} --to ${toDay(DAY + DAY_MS)} --limit 1`)).toEqual(['r1']);
    expect(await idsOf(`requests --from ${new Date(DAY + 1).toISOString()} --key vk_a`)).toEqual(['r1', 'r2', 'r3']);
    expect(await idsOf('requests --since 5d')).toEqual([]);
    expect(await idsOf('requests --from 11d')).toHaveLength(4);
    const csv = await run('requests --csv --from 11d');
    expect(csv.stdout.trim().split('\n')).toHaveLength(5);
  });

  it('requests -f with a time in which nothing is yet shows what comes, and none of before', async () => {
    const stop = new AbortController();
    const argv = ['requests', '-f', '--from', '5d', '--json', '--config', gateway.path];
    const running = runInProcess(argv, { product: privateGateway, signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    gateway.meter.recordRequest({ ...newRow('fresh', Date.now()), keyId: 'vk_a' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    stop.abort();
    const lines = (await running).stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id)).toEqual(['fresh']);
  });

  it('usage sums the days of a time, also those of which a part is asked for', async () => {
    expect(await requestsOf('usage')).toBe(1);
    expect(await requestsOf('usage --from 1h')).toBe(1);
    expect(await requestsOf('usage --since 30d --by day')).toBe(1);
    expect(await requestsOf(`usage --to ${toDay(Date.now())}`)).toBe(0);
    expect(await requestsOf(`usage --from ${toDay(Date.now())} --to ${toDay(Date.now() + DAY_MS)}`)).toBe(1);
    const { stdout } = await run('usage --csv');
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  it.each([
    ['requests --from yesterday', '--from is "yesterday", but must be a day such as'],
    ['requests -f --to 2026-01-01', '--follow and --to are given both; give one.'],
    ['usage --from 2026-02-30', '--from is "2026-02-30", but must be a day such as'],
    ['usage --from 2026-02-02 --to 2026-02-01', 'which is not before --to, "2026-02-01"'],
    ['usage --to 99999999d', '--to is "99999999d", but must be a day such as'],
  ])('%s is refused, and says what is wrong', async (line, says) => {
    const { status, stdout, stderr } = await run(line);
    expect({ status, stdout, code: /\ncode: (\w+)\n$/.exec(stderr)?.[1] }).toEqual({
      status: 2,
      stdout: '',
      code: 'invalid_option',
    });
    expect(stderr).toContain(says);
  });
});
