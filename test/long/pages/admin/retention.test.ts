// S14 with the page in use: what an operator types, sends and is shown is in no file, no log, and nothing that the browser keeps.
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openAdminPage,
  REFUSED,
  signIn,
  startScene,
  type Scene,
} from '../../../pages/admin/browser/open-admin-page.js';
import { findChromium, startBrowser } from '../../../support/browser.js';
import { eventually } from '../../../support/eventually.js';
import { findNeedles } from '../../../support/find-needles.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';
const canary = (what: string): string => `${what}${randomBytes(12).toString('hex')}`;

describe.skipIf(chromium === undefined)(`what is kept of the admin page${why}`, () => {
  let scene: Scene;
  let browser: Browser;
  beforeAll(async () => {
    scene = await startScene();
    browser = await startBrowser(chromium ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await scene[Symbol.asyncDispose]();
  });

  it('is neither a prompt nor an answer, a secret, a token, or a text that was not saved', async () => {
    await using open = await openAdminPage(browser, scene, { expected: [REFUSED] });
    const { page } = open;
    const { started, token } = scene.admin;
    const [prompt, wrong, unsaved] = [canary('prompt'), canary('gwa_wrong'), canary('unsaved')];
    const secrets: string[] = [];
    const answers: string[] = [];
    for (let round = 0; round < 5; round++) {
      await open.go('/models?open=demo');
      await page.getByLabel('Test message').fill(`${prompt} What is ${round} + 11?`);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.facts-list', { hasText: 'Answered by' }).waitFor({ timeout: 120_000 });
      answers.push((await page.locator('.said').last().textContent()) ?? '');
      await open.go('/keys');
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name', { exact: true }).fill(`Key ${round}`);
      await page.getByRole('button', { name: 'Create key' }).click();
      secrets.push((await page.locator('.copy-text').first().textContent()) ?? '');
      await page.getByRole('button', { name: 'I have kept it' }).click();
      await open.go('/configuration?tab=yaml');
      await page.getByLabel('gateway.yaml', { exact: true }).fill(`${unsaved}: ${unsaved}`);
      await page.locator('.editor-problems').waitFor();
      await page.getByRole('button', { name: 'Undo all' }).click();
    }
    const csrf = (await page.evaluate(`localStorage.getItem('troupe-admin-csrf')`)) as string;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin token').waitFor();
    await signIn(page, wrong);
    await eventually(() => page.locator('.hint.wrong').count()).toBe(1);
    const needles = [prompt, wrong, unsaved, token, csrf, ...secrets];
    expect(needles.every((needle) => needle.length > 25)).toBe(true);
    expect(answers.every((answer) => answer.length > 0)).toBe(true);
    const { hits, search, searchFiles } = findNeedles(needles);
    expect(searchFiles(dirname(started.path)).length).toBeGreaterThan(3);
    search('the log', JSON.stringify([started.lines, started.events]));
    search('the metrics', await (await fetch(`${started.url}/metrics`)).text());
    const kept = await page.evaluate(
      `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie, document.documentElement.outerHTML])`,
    );
    search('the browser', String(kept));
    const databases = await page.evaluate(`indexedDB.databases().then((all) => all.length)`);
    const caches = await page.evaluate(`globalThis.caches.keys().then((all) => all.length)`);
    expect([hits, databases, caches]).toEqual([[], 0, 0]);
    expect(open.faults).toEqual([]);
  });
});
