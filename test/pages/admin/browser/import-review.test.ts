// An import of findings from the page: the window shows the lines before they are written, and shows them anew where the file was
// changed meanwhile. On a wide screen and on a telephone.
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imitations } from '../../../gateway/imitations/index.js';
import { endAll } from '../../../gateway/imitations/scanning.js';
import { serveImitation, type Served } from '../../../gateway/imitations/serve.js';
import { findChromium, seriousFindings, startBrowser } from '../../../support/browser.js';
import { eventually } from '../../../support/eventually.js';
import { openAdminPage, REFUSED, startScene, type Scene } from './open-admin-page.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';

describe.skipIf(chromium === undefined)(`an import from the admin page${why}`, () => {
  let scene: Scene;
  let browser: Browser;
  let served: readonly Served[];
  beforeAll(async () => {
    scene = await startScene();
    served = [await serveImitation(imitations.ollama), await serveImitation(imitations['llama.cpp'])];
    browser = await startBrowser(chromium ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await endAll([...served]);
    await scene[Symbol.asyncDispose]();
  });

  it.each([
    [1280, 'light', 0],
    [375, 'dark', 1],
  ] as const)('at %i px shows its lines first, and again after another change', async (width, colorScheme, nth) => {
    const viewport = { width, height: 860 };
    const look = { viewport, colorScheme, reducedMotion: 'reduce', expected: [REFUSED] } as const;
    await using open = await openAdminPage(browser, scene, look);
    const { page } = open;
    const runtime = served[nth];
    const text = (): string => readFileSync(scene.admin.started.path, 'utf8');
    await open.go('/runtimes');
    await page.getByLabel('Ports').fill(String(runtime?.port));
    await page.getByRole('button', { name: 'Scan', exact: true }).click();
    // A finding opens with its proof and its models.
    await page
      .locator('tr', { hasText: runtime?.url ?? '' })
      .locator('.row-open')
      .click();
    const finding = page.getByRole('dialog', { name: runtime?.url ?? '' });
    const shown = (await finding.textContent()) ?? '';
    for (const word of ['Proof', 'Models']) expect(shown).toContain(word);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: `Import ${runtime?.url}` }).check();
    const before = text();
    await page.getByRole('button', { name: 'Approve and import 1' }).click();
    const review = page.getByRole('dialog', { name: 'Import into gateway.yaml?' });
    await eventually(() => review.locator('.diff').textContent()).toContain(runtime?.url ?? '');
    expect(await review.textContent()).toContain('1 runtime (');
    expect(text()).toBe(before);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    // Back leaves the file, and the ticks, as they were.
    await review.getByRole('button', { name: 'Back' }).click();
    expect([await review.count(), text()]).toEqual([0, before]);
    await page.getByRole('button', { name: 'Approve and import 1' }).click();
    await review.waitFor();

    const { script } = scene.admin;
    const { etag } = (await script('GET', '/admin/api/config')).json as { etag: string };
    const mark = `# Written at ${width} px.\n`;
    await script('PUT', '/admin/api/config', { body: { text: mark + before }, headers: { 'if-match': etag } });
    await review.getByRole('button', { name: 'Import', exact: true }).click();
    await review.getByText('gateway.yaml has changed since').waitFor();
    expect(text()).toBe(mark + before);
    await review.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText(/^1 runtime \(.*imported\./).waitFor();
    expect(await review.count()).toBe(0);
    expect(text().startsWith(mark)).toBe(true);
    expect(text()).toContain(runtime?.url);
    expect(open.faults).toEqual([]);
  });
});
