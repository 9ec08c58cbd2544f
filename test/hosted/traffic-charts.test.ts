// The charts of the operator page and of the account page, on a wide screen and on a telephone, in light and in dark: after one
// request, after a refusal and a failure, and after many. Where a number says that there was something, a chart has pixels. With
// TROUPE_SCREENSHOTS what was seen is kept as pictures.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startRuntime, whole, type Play, type TestRuntime } from '../gateway/serving/runtime.js';
import { expectPixels, legendValues, LOOKS, readCharts, SIZES } from '../pages/admin/browser/chart-pixels.js';
import { findChromium, seriousFindings, startBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { openSignedIn } from './open-signed-in.js';
import { chat, providerAt, settledOf, startHosted, type Payer, type StartedHosted } from './serving/start-hosted.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';
/** Four pages are drawn at once. */
/** A provider that takes a known time: durations are there to be seen. */
const TAKES_MS = 25;
const FAILURE = 'HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const play: Play = async ({ body }, socket) => {
  await new Promise((resolve) => setTimeout(resolve, TAKES_MS));
  socket.write(body.includes('"fail":true') ? FAILURE : whole(completion(12_000, 5_000)));
};

interface Look {
  readonly name: string;
  readonly operator: Page;
  readonly account: Page;
}

describe.skipIf(chromium === undefined)(`charts of the hosted API${why}`, () => {
  const shots = process.env['TROUPE_SCREENSHOTS'];
  let provider: TestRuntime;
  let hosted: StartedHosted;
  let payer: Payer;
  let browser: Browser;
  let looks: readonly Look[];
  beforeAll(async () => {
    [browser, provider] = await Promise.all([startBrowser(chromium ?? ''), startRuntime(play)]);
    hosted = await startHosted({ providers: [providerAt(provider.url)], operator: { port: 0 } });
    await hosted.price('demo', { inputNano: 1_000_000n, outputNano: 2_000_000n });
    payer = await hosted.payer(1_000_000);
    const token = readFileSync(join(hosted.dataDir, 'operator-token'), 'utf8').trim();
    const places = {
      operator: { url: hosted.hosted.operator?.url ?? '', label: 'Operator token', secret: token },
      account: { url: `http://127.0.0.1:${hosted.port}/account/`, label: 'API key', secret: payer.secret },
    };
    looks = await Promise.all(
      LOOKS.map(async ({ name, colorScheme, size }) => {
        const options = { locale: 'en-GB', colorScheme, viewport: SIZES[size] };
        const [operator, account] = [
          await openSignedIn(browser, places.operator, options),
          await openSignedIn(browser, places.account, options),
        ];
        return { name, operator, account };
      }),
    );
    if (shots !== undefined) mkdirSync(shots, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    await hosted[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  /** What all four see of both pages, once the legends say `answered`. */
  const see = async (query: string, answered: string) => {
    const opened = looks.flatMap(({ name, operator, account }) => [
      { name: `operator, ${name}`, page: operator, url: `${hosted.hosted.operator?.url ?? ''}/metrics${query}` },
      { name: `account, ${name}`, page: account, url: `http://127.0.0.1:${hosted.port}/account/${query}` },
    ]);
    return Promise.all(
      opened.map(async ({ name, page, url }) => {
        await page.goto(url);
        const legend = page.locator('.chart').first().locator('.legend-1 b');
        await eventually(() => legend.textContent()).toBe(answered);
        await page.waitForTimeout(150);
        if (shots !== undefined) {
          const file = `hosted-${answered}-${query.replaceAll(/\W/g, '')}-${name.replaceAll(', ', '-')}`;
          await page.screenshot({ path: join(shots, `${file}.png`) });
          await page.locator('.cards').last().scrollIntoViewIfNeeded();
          await page.screenshot({ path: join(shots, `${file}-below.png`) });
        }
        return { name, page, charts: await readCharts(page) };
      }),
    );
  };
  const count = async (settled: number): Promise<void> => {
    await settledOf(hosted, payer, settled);
    await hosted.billing.tick();
  };

  it('have a bar and points for one request, at every length of time', async () => {
    expect((await chat(hosted, payer)).status).toBe(200);
    await count(1);
    for (const query of ['?range=1h', '?range=24h', '?range=1y']) {
      const seen = await see(query, '1');
      // An account has no minutes: its page does not offer an hour.
      for (const { name, charts } of seen.filter((each) => query !== '?range=1h' || each.name.startsWith('operator'))) {
        expect([name, charts.map(({ title }) => title)]).toEqual([
          name,
          [
            'Requests by how they ended',
            'Tokens in and out',
            'Time to the first token',
            'Duration of answered requests',
            'Cost, USD',
          ],
        ]);
        expectPixels(`${name} ${query}`, charts);
        expect(legendValues(charts, 'Refused', 'Failed')).toEqual(['0', '0']);
      }
    }
  });

  it('have bars of another colour for a refusal and a failure, and durations without them', async () => {
    expect((await chat(hosted, payer, { model: 'none' })).status).toBe(404);
    expect((await chat(hosted, payer, { fail: true })).status).toBe(503);
    await count(2);
    for (const { name, charts } of await see('?range=24h', '1')) {
      expectPixels(name, charts);
      expect([name, legendValues(charts, 'Refused', 'Failed')]).toEqual([name, ['1', '1']]);
    }
    const [first] = looks;
    const errors = first?.operator.locator('.card', { hasText: 'By error' });
    await eventually(() => errors?.locator('.bar-name').allTextContents()).toEqual(['model_not_priced']);
  });

  it('show an account, a provider and a model of their own, and the way back', async () => {
    const page = looks[0]?.operator;
    if (page === undefined) throw new Error('there is a wide page');
    await page.goto(`${hosted.hosted.operator?.url ?? ''}/metrics?range=24h`);
    for (const [card, part, chosen] of [
      ['By account', payer.account.name, `Account ${payer.account.name}`],
      ['By model', 'demo', 'up/demo'],
      ['By provider', 'up', 'up'],
    ] as const) {
      const link = page.locator('.card', { hasText: card }).getByRole('link', { name: part, exact: true });
      await link.click();
      const back = page.getByRole('button', { name: `${chosen} : show all` });
      await back.waitFor();
      await eventually(() => page.locator('.chart .legend-1 b').first().textContent()).toBe('1');
      await back.click();
      await back.waitFor({ state: 'detached' });
    }
  });

  it('are readable by anybody after two hundred requests', async () => {
    for (let i = 0; i < 199; i += 20) {
      const asks = Array.from({ length: Math.min(20, 199 - i) }, () => chat(hosted, payer));
      await Promise.all(asks);
    }
    await expect.poll(async () => hosted.billing.counts.open, { timeout: 120_000 }).toBe(0);
    await hosted.billing.tick();
    for (const { name, page, charts } of await see('?range=24h', '200')) {
      expectPixels(name, charts);
      expect([name, await seriousFindings(page)]).toEqual([name, []]);
    }
  });
});
