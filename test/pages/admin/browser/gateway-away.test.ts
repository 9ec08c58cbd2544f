// A gateway that is stopped while its page is open: every section says so within 5 s, also those that ask for nothing by
// themselves, and takes it back when the gateway is there again.
import { rmSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAdminHome, startAdmin, type AdminHome, type StartedAdmin } from '../../../gateway/admin/start-admin.js';
import { findChromium, newContext, seriousFindings, startBrowser } from '../../../support/browser.js';
import { eventually } from '../../../support/eventually.js';
import { freePort } from '../../../support/free-port.js';
import { signIn } from './open-admin-page.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';
const SECTIONS = ['/', '/keys', '/models', '/runtimes', '/requests', '/configuration', '/audit', '/metrics', '/system'];

describe.skipIf(chromium === undefined)(`a page whose gateway goes away${why}`, () => {
  let browser: Browser;
  let home: AdminHome;
  let gateway: StartedAdmin;
  let port: number;
  const start = (): Promise<StartedAdmin> => startAdmin({}, { admin: { port } }, home);
  beforeAll(async () => {
    [browser, home, port] = await Promise.all([startBrowser(chromium ?? ''), makeAdminHome(), freePort()]);
    gateway = await start();
  });
  afterAll(async () => {
    await browser.close();
    await gateway[Symbol.asyncDispose]();
    rmSync(home.home, { recursive: true, force: true });
  });

  it('says so on every section within 5 s, and takes it back', async () => {
    const context = await newContext(browser, { reducedMotion: 'reduce' });
    const url = `http://127.0.0.1:${port}`;
    const first = await context.newPage();
    await first.goto(url);
    await signIn(first, home.token);
    await first.locator('.shell').waitFor();
    const pages = await Promise.all(
      SECTIONS.map(async (path) => {
        const page = await context.newPage();
        await page.goto(url + path);
        await page.locator('.shell').waitFor();
        return page;
      }),
    );
    const notices = pages.map((page) => page.getByRole('alert').filter({ hasText: 'The gateway does not answer.' }));
    expect(await Promise.all(notices.map((notice) => notice.count()))).toEqual(SECTIONS.map(() => 0));
    await gateway[Symbol.asyncDispose]();
    const startMs = performance.now();
    const tookMs = await Promise.all(
      notices.map(async (notice) => {
        await notice.waitFor();
        return performance.now() - startMs;
      }),
    );
    expect(tookMs.filter((ms) => ms > 5_000)).toEqual([]);
    expect(await notices[1]?.textContent()).toMatch(/What you see is older than .*goes on by itself/);
    expect(await seriousFindings(pages[2] ?? first)).toEqual([]);
    gateway = await start();
    for (const [i, notice] of notices.entries()) {
      await eventually(async () => [SECTIONS[i], await notice.count()]).toEqual([SECTIONS[i], 0]);
    }
    await context.close();
  });
});
