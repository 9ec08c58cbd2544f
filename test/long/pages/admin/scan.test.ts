// A scan of 127.0.0.0/22 from the page: real runtimes and impostors, the import of what is ticked, a scan that is stopped in the
// middle, and the requests that unapproved runtimes see.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runtimeKinds } from '../../../../src/gateway/index.js';
import { openAdminPage, startScene, type Scene } from '../../../pages/admin/browser/open-admin-page.js';
import { impostors } from '../../../gateway/imitations/impostors.js';
import { imitations } from '../../../gateway/imitations/index.js';
import { endAll } from '../../../gateway/imitations/scanning.js';
import { serveImitation, serveTcp, type Served } from '../../../gateway/imitations/serve.js';
import { findChromium, startBrowser } from '../../../support/browser.js';
import { eventually } from '../../../support/eventually.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';
/** Some impostors take all of it; the others answer within it, also where the machine does other work beside. */
const TIMEOUT_S = 30;

describe.skipIf(chromium === undefined)(`a scan of 127.0.0.0/22 from the admin page${why}`, () => {
  let scene: Scene;
  let browser: Browser;
  let ollama: Served;
  let strangers: readonly Served[];
  beforeAll(async () => {
    scene = await startScene({ runtimes: [], models: [] });
    ollama = await serveImitation(imitations.ollama);
    const imitators = await Promise.all(Object.values(impostors).map((serve) => serve()));
    strangers = [await serveImitation(imitations['llama.cpp'], ollama.port, '127.0.3.77'), ...imitators];
    browser = await startBrowser(chromium ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await endAll([ollama, ...strangers]);
    await scene[Symbol.asyncDispose]();
  });

  it('finds them by what they prove, imports what is ticked, and can be stopped', async () => {
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    const [engine, other] = scene.engines;
    const ports = [engine.server.port, other.server.port, ollama.port, ...strangers.map(({ port }) => port)];
    const begin = async (list: readonly number[]): Promise<void> => {
      await open.go('/runtimes');
      await page.getByRole('radio', { name: 'A range' }).check();
      await page.getByLabel('Range', { exact: true }).fill('127.0.0.0/22');
      await page.getByLabel('Ports').fill([...new Set(list)].join(', '));
      await page.getByLabel('Seconds for each').fill(String(TIMEOUT_S));
      await page.getByRole('button', { name: 'Scan', exact: true }).click();
      await page.locator('.scan-progress', { hasText: 'under way' }).waitFor();
    };
    const endsAs = (state: string) =>
      expect
        .poll(() => page.locator('.scan-progress [role=status]').textContent(), { timeout: 240_000, interval: 250 })
        .toBe(state);

    await begin(ports);
    const bar = page.getByRole('progressbar', { name: 'Endpoints tried' });
    await eventually(async () => Number(await bar.getAttribute('value'))).toBeGreaterThan(0);
    await endsAs('done');
    const rows = page.locator('.data-table tbody tr');
    await page.getByRole('radio', { name: 'Runtimes' }).check();
    for (const [url, kind] of [
      [engine.url, 'native engine'],
      [other.url, 'native engine'],
      [ollama.url, 'Ollama'],
      [strangers[0]?.url ?? '', 'llama.cpp'],
    ] as const) {
      await eventually(async () => [url, await rows.allTextContents()]).toEqual([
        url,
        expect.arrayContaining([expect.stringMatching(new RegExp(`${url.replaceAll('.', '\\.')}[^\\d].*${kind}`))]),
      ]);
    }
    expect(await page.locator('.tick input:enabled').count()).toBe(4);
    await page.getByRole('radio', { name: 'Impostors' }).check();
    expect(await page.locator('.tick input:enabled').count()).toBe(0);
    await page.getByRole('radio', { name: 'All', exact: true }).check();
    await page.getByRole('checkbox', { name: `Import ${engine.url}` }).check();
    await page.getByRole('checkbox', { name: `Import ${ollama.url}` }).check();
    await page.getByRole('button', { name: 'Approve and import 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await eventually(() => page.locator('.note').textContent()).toMatch(
      /2 runtimes \(.*\) with \d+ new models were imported/,
    );
    await eventually(() => page.getByRole('checkbox', { name: `Import ${engine.url}` }).isDisabled()).toBe(true);
    const got = (await scene.admin.script('GET', '/admin/api/runtimes')).json as { data: { base_url: string }[] };
    expect(got.data.map(({ base_url: url }) => url).toSorted()).toEqual([engine.url, ollama.url].toSorted());

    await using silent = await serveTcp(() => {});
    await begin([silent.port, ...ports]);
    await expect.poll(() => silent.numConnections(), { timeout: 60_000 }).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await endsAs('stopped');
    const numBefore = strangers.map(({ numConnections }) => numConnections());
    await page.waitForTimeout(1_000);
    expect(strangers.map(({ numConnections }) => numConnections())).toEqual(numBefore);

    const kinds = Object.values<{ probes: readonly string[]; costlyProbes?: readonly string[] }>(runtimeKinds);
    const probes = new Set(kinds.flatMap((kind) => [...kind.probes, ...(kind.costlyProbes ?? [])]));
    for (const { asked } of strangers) {
      for (const { method, path, headers } of asked) {
        expect([method, probes.has(path), path]).toEqual(['GET', true, path]);
        for (const name of ['authorization', 'cookie', 'x-api-key']) expect(headers[name]).toBeUndefined();
      }
    }
    expect(open.faults).toEqual([]);
  });
});
