// The account page and the operator page on a telephone: no time is cut, no table within a card has an empty room, what a row
// says has room beside its buttons, and amounts have their currency.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, startBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { openSignedIn } from './open-signed-in.js';
import { settleOne } from './settle-one.js';
import { startHosted, type Payer, type StartedHosted } from './serving/start-hosted.js';

const chromium = findChromium();
const WINDOW = { width: 375, height: 700 };
/** Texts of times that do not fit into their cells. */
const CUT_TIMES = `[...document.querySelectorAll('.table-scroll time')]
  .filter((time) => { const cell = time.closest('td, th'); return cell.scrollWidth > cell.clientWidth; })
  .map((time) => time.textContent)`;
/** The highest part of a table in a card that no row fills, in pixels. */
const EMPTY_ROOM = `Math.max(0, ...[...document.querySelectorAll('.card .table-scroll')]
  .map((scroll) => scroll.clientHeight - scroll.querySelector('table').getBoundingClientRect().height))`;

describe.skipIf(chromium === undefined)('pages of the hosted API on a telephone', () => {
  let browser: Browser;
  let hosted: StartedHosted;
  let payer: Payer;
  beforeAll(async () => {
    browser = await startBrowser(chromium ?? '');
    hosted = await startHosted({ operator: { port: 0 } });
    payer = await hosted.payer(1234.5, { budgets: [{ amountMicro: 20_000_000n, window: 'total' }] });
    await hosted.price();
    await settleOne(hosted, payer, 'up', 'demo');
  });
  afterAll(async () => {
    await browser.close();
    await hosted[Symbol.asyncDispose]();
  });

  const open = (url: string, label: string, secret: string): Promise<Page> =>
    openSignedIn(browser, { url, label, secret }, { viewport: WINDOW, locale: 'en-US' });

  it('the account page has whole times, tables as high as their rows, and budgets with their currency', async () => {
    const url = `http://127.0.0.1:${hosted.port}/account/`;
    const page = await open(url, 'API key', payer.secret);
    await page.locator('.card .table-scroll td').first().waitFor();
    expect(await page.evaluate(EMPTY_ROOM)).toBeLessThan(8);
    await page.goto(`${url}?tab=requests`);
    await page.locator('.table-scroll time').first().waitFor();
    expect(await page.evaluate(CUT_TIMES)).toEqual([]);
    await page.goto(`${url}?tab=keys`);
    await eventually(() => page.locator('.content').textContent()).toContain('$20.00 in total');
    await page.context().close();
  });

  it('the operator page has whole times, and room for what a key of an account says', async () => {
    const url = hosted.hosted.operator?.url ?? '';
    const token = readFileSync(join(hosted.dataDir, 'operator-token'), 'utf8').trim();
    const page = await open(url, 'Operator token', token);
    for (const section of ['requests', 'audit']) {
      await page.goto(`${url}/${section}`);
      await page.locator('.table-scroll time').first().waitFor();
      expect([section, await page.evaluate(CUT_TIMES)]).toEqual([section, []]);
    }
    await page.goto(`${url}/?open=${payer.account.id}`);
    const row = page.getByRole('dialog').locator('.rows li > div').first();
    await eventually(() => row.textContent()).toContain('$20.00 in total');
    expect(await row.evaluate((node) => node.getBoundingClientRect().width)).toBeGreaterThan(200);
    await page.context().close();
  });
});
