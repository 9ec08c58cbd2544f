// S8 in a browser: 200 names of keys, of models and of what runtimes say of themselves do nothing on any section of the page.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAdminPage, startScene, type Scene } from '../../../pages/admin/browser/open-admin-page.js';
import { hostileNames } from '../../../pages/admin/browser/hostile-names.js';
import { imitations } from '../../../gateway/imitations/index.js';
import { modelList } from '../../../gateway/imitations/pages.js';
import { serveImitation, type Served } from '../../../gateway/imitations/serve.js';
import { findChromium, startBrowser } from '../../../support/browser.js';
import { eventually } from '../../../support/eventually.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';
/** Ids of models are without `*`, which keys use. */
const ids = hostileNames.filter((name) => !name.includes('*') && name.length <= 256);

describe.skipIf(chromium === undefined)(`hostile names on the admin page${why}`, () => {
  let scene: Scene;
  let browser: Browser;
  let runtime: Served;
  beforeAll(async () => {
    runtime = await serveImitation({
      ...imitations.vllm,
      pages: {
        ...imitations.vllm.pages,
        '/v1/models': modelList(...ids.map((id) => ({ id, owned_by: 'vllm', created: 1 }))),
      },
    });
    const models = ids.map((id) => ({ id, targets: [{ runtime: 'studio', model: id }] }));
    scene = await startScene({ models });
    browser = await startBrowser(chromium ?? '');
    for (const name of hostileNames) {
      const made = await scene.admin.script('POST', '/admin/api/keys', { body: { name: name.slice(0, 100) } });
      expect([name, made.status]).toEqual([name, 200]);
    }
  });
  afterAll(async () => {
    await browser.close();
    await runtime[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  });

  it('are shown as they are, and do nothing', async () => {
    expect([hostileNames.length, new Set(hostileNames).size, ids.length]).toEqual([200, 200, 200]);
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    const harmless = async (where: string): Promise<void> => {
      const found = await page.evaluate(`({
        hacked: window.hacked ?? null,
        active: document.querySelectorAll('#page :is(script, style, iframe, object, embed, link, meta, base, img, math, template, video, body)').length,
        forms: [...document.querySelectorAll('#page form')].filter((form) => form.hasAttribute('action')).length,
        links: [...document.querySelectorAll('#page a')].filter(({ protocol, host }) => protocol !== 'http:' || host !== location.host).length,
        handlers: [...document.querySelectorAll('#page *')].flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on')),
        base: document.baseURI.startsWith(location.origin),
      })`);
      expect([where, found]).toEqual([
        where,
        { hacked: null, active: 0, forms: 0, links: 0, handlers: [], base: true },
      ]);
    };
    for (const address of [
      '/',
      '/keys',
      '/models',
      '/requests',
      '/audit',
      '/metrics',
      '/system',
      '/configuration',
      '/configuration?tab=yaml',
      '/runtimes?tab=runtimes&open=studio',
    ]) {
      await open.go(address);
      // Some keep a stream of events open, so that the network is never idle.
      await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
      await harmless(address);
    }
    // Each of them is drawn: the list is read to its end.
    await open.go('/keys');
    await page.locator('.row-open').first().waitFor();
    const seen = new Set<string>();
    const read = async (): Promise<number> => {
      for (let top = 0; top < 7_500; top += 400) {
        await page.evaluate(`document.querySelector('.table-scroll').scrollTop = ${top}`);
        await page.waitForTimeout(60);
        for (const name of await page.locator('.row-open').allTextContents()) seen.add(name);
      }
      return seen.size;
    };
    // The names, and the key of the scene.
    await eventually(read).toBe(hostileNames.length + 1);
    expect(hostileNames.filter((name) => !seen.has(name.slice(0, 100)))).toEqual([]);
    await harmless('all keys');
    for (const name of ids.filter((_, i) => i % 10 === 3)) {
      await open.go(`/models?open=${encodeURIComponent(name)}`);
      await eventually(() => page.locator('dialog h2').textContent()).toBe(name);
      await harmless(`the model ${name}`);
    }
    // What a runtime says of itself, and what of it is imported.
    await open.go('/runtimes');
    await page.getByLabel('Ports').fill(String(runtime.port));
    await page.getByRole('button', { name: 'Scan', exact: true }).click();
    await page.locator('.data-table tbody tr').first().waitFor();
    await harmless('findings');
    await page.locator('.tick input').first().check();
    const clicked = performance.now();
    await page.getByRole('button', { name: /^Approve and import 1/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('.note').waitFor();
    process.stdout.write(
      `${hostileNames.length} models imported ${Math.round(performance.now() - clicked)} ms after a click\n`,
    );
    expect(await page.locator('.note').textContent()).toMatch(/ w(?:as|ere) imported/);
    await harmless('what was imported');
    expect(open.faults).toEqual([]);
  });
});
