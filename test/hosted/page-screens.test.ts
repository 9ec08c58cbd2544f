// The operator page and the account page at 1280 and at 375 pixels: the columns that matter are seen, a table says that it
// scrolls, every reader can read it, and the page says when its server is away.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, seriousFindings, startBrowser } from '../support/browser.js';
import { columnsInSight } from '../support/columns-in-sight.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { listOf, startListing, type ListingServer } from './gateways/listing-server.js';
import { openSignedIn } from './open-signed-in.js';
import { startHosted, type Payer, type StartedHosted } from './serving/start-hosted.js';
import { makeHome } from '../support/start-product.js';
import { expectWithin } from '../support/elapsed.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';
/** Columns that are in sight without scrolling, by section. */
const OPERATOR = {
  '/': ['Name', 'Balance', 'State'],
  '/gateways': ['Slug', 'State', 'Models'],
  '/prices': ['Model', 'In / M', 'Out / M'],
} as const;
const ACCOUNT = {
  '?tab=keys': ['Name', 'State', 'Begins with'],
  '?tab=catalog': ['Model', 'In / M', 'Out / M'],
} as const;

describe.skipIf(chromium === undefined)(`screens of the hosted API${why}`, () => {
  const home = makeHome();
  let browser: Browser;
  let gateway: ListingServer;
  let hosted: StartedHosted;
  let payer: Payer;
  let ports: readonly [number, number];
  const start = (): Promise<StartedHosted> =>
    startHosted(
      {
        listen: { port: ports[0], transport: 'node' },
        gateways: { allow_private: ['127.0.0.0/8'] },
        operator: { port: ports[1] },
      },
      {},
      home,
    );
  beforeAll(async () => {
    [browser, gateway, ports] = await Promise.all([
      startBrowser(chromium ?? ''),
      startListing(listOf('llama3', 'a-model-whose-name-is-longer-than-a-column')),
      Promise.all([freePort(), freePort()]),
    ]);
    hosted = await start();
    await hosted.operate('gateways.add', { slug: 'berlin', name: 'Berlin', base_url: gateway.url });
    await hosted.price('llama3', { provider: 'pgw/berlin' });
    payer = await hosted.payer(7);
  });
  afterAll(async () => {
    await browser.close();
    await hosted[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  const open = (url: string, label: string, secret: string): Promise<Page> =>
    openSignedIn(browser, { url, label, secret }, { locale: 'en-GB' });
  const openBoth = async () => {
    const operator = hosted.hosted.operator?.url ?? '';
    const account = `http://127.0.0.1:${hosted.port}/account/`;
    const token = readFileSync(join(hosted.dataDir, 'operator-token'), 'utf8').trim();
    return [
      { url: operator, sections: OPERATOR, page: await open(operator, 'Operator token', token) },
      { url: account, sections: ACCOUNT, page: await open(account, 'API key', payer.secret) },
    ] as const;
  };

  it('show the columns that matter at 1280 and 375 pixels, and that there are more', async () => {
    for (const { url, sections, page } of await openBoth()) {
      for (const [section, columns] of Object.entries(sections)) {
        for (const width of [1280, 375]) {
          await page.setViewportSize({ width, height: 800 });
          await page.goto(url + section);
          const head = page.getByRole('columnheader', { name: columns[0], exact: true });
          await head.waitFor();
          const seen = await columnsInSight(page);
          expect([section, width, seen]).toEqual([section, width, expect.arrayContaining([...columns])]);
          const all = await page.getByRole('columnheader').allTextContents();
          const more = page.getByRole('button', { name: 'More columns' });
          expect([section, width, await more.isVisible()]).toEqual([section, width, seen.length < all.length]);
          if (width === 1280) continue;
          expect([section, await seriousFindings(page)]).toEqual([section, []]);
          await more.click();
          expect(await page.evaluate(`document.querySelector('.table-scroll').scrollLeft`)).toBeGreaterThan(100);
          await page.evaluate(`document.querySelector('.table-scroll').scrollLeft = 10_000`);
          await eventually(() => more.isDisabled()).toBe(true);
          // The last column is in sight now, and what a row is called still is.
          expect(await columnsInSight(page)).toEqual(expect.arrayContaining([all[0], all.at(-1)]));
        }
      }
      await page.context().close();
    }
  });

  it('say within 5 s that the server is gone', async () => {
    const both = await openBoth();
    await hosted[Symbol.asyncDispose]();
    const startMs = performance.now();
    const notices = ['The hosted API does not answer.', 'The service does not answer.'];
    await Promise.all(
      both.map(({ page }, i) =>
        page
          .getByRole('alert')
          .filter({ hasText: notices[i] ?? '' })
          .waitFor(),
      ),
    );
    expectWithin(5_000, startMs);
    hosted = await start();
    for (const { page } of both) {
      // Sections that asked meanwhile say so too, and ask again.
      await eventually(() => page.getByRole('alert').count()).toBe(0);
      await page.context().close();
    }
  });
});
