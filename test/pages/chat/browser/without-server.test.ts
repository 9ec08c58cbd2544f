import { expect, it } from 'vitest';
import { findChromium, startBrowser } from '../../../support/browser.js';
import { eventually } from '../../../support/eventually.js';
import { startServing } from '../../../server/serving.js';
import { answered, ask, openPage, send } from './open-page.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';

it.skipIf(chromium === undefined)(
  `the chat page says that its server is gone, opens without it, and goes on when it is back${why}`,
  async () => {
    const browser = await startBrowser(chromium ?? '');
    const first = await startServing();
    const { port } = first.server;
    try {
      await using open = await openPage(browser, first.url, { serviceWorkers: 'allow' });
      const { page } = open;
      const answer = await ask(page, 'What is 1 + 1?');
      await page.evaluate('navigator.serviceWorker.ready.then(() => 0)');
      expect(open.faults).toEqual([]);

      await first[Symbol.asyncDispose]();
      await send(page, 'What is 2 + 2?');
      await page.locator('.failure', { hasText: 'The server does not answer.' }).waitFor();
      await page.locator('.banner', { hasText: 'native-engine serve --http' }).waitFor();
      await page.reload();
      await page.locator('.title-open').click();
      expect(await page.locator('.answer .markdown').textContent()).toBe(answer);
      await page.locator('.banner').waitFor();

      const second = await startServing({}, { port });
      try {
        await page.getByRole('button', { name: 'Look again' }).click();
        await page.locator('.banner').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Try again' }).click();
        await answered(page);
        await eventually(() => page.locator('.answer .markdown').count()).toBe(2);
        expect(await page.locator('.failure').count()).toBe(0);
      } finally {
        await second[Symbol.asyncDispose]();
      }
    } finally {
      await browser.close();
    }
  },
);
