// What an operator sees in the first minute: after one request, after three with a refusal and a failure, and after two hundred,
// on a wide screen and on a telephone, in light and in dark. Where a number says that there was something, a chart has pixels.
// With TROUPE_SCREENSHOTS what was seen is kept as pictures.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from '../../../../src/base/index.js';
import { findChromium, seriousFindings, startBrowser } from '../../../support/browser.js';
import {
  completion,
  openEvents,
  startRuntime,
  type Play,
  type TestRuntime,
  whole,
} from '../../../gateway/serving/runtime.js';
import { eventually } from '../../../support/eventually.js';
import { expectPixels, legendValues, LOOKS, readCharts, SIZES } from './chart-pixels.js';
import {
  askGateway,
  openAdminPage,
  openBeside,
  startSceneOn,
  type AdminPage,
  type PlainScene,
} from './open-admin-page.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';
/** Some 10 s on a machine that does nothing else; four pages are drawn at once. */
const TIMEOUT_MS = 180_000;

/** A model that takes a known time to begin and to end: charts have what there is to see, and no machine computes. */
const TAKES_MS = 25;
const answer: Play = async ({ body }, socket) => {
  const wait = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, TAKES_MS));
  await wait();
  if (!body.includes('"stream":true')) return void socket.write(whole(completion(12, 5)));
  const events = openEvents(socket);
  events.token();
  await wait();
  events.token();
  events.usage(12, 5);
  events.end();
};

interface Look extends AdminPage {
  readonly name: string;
}

describe.skipIf(chromium === undefined)(`the first minute of an operator${why}`, () => {
  const shots = process.env['TROUPE_SCREENSHOTS'];
  let scene: PlainScene;
  let runtimes: readonly TestRuntime[];
  let browser: Browser;
  let looks: readonly Look[];
  beforeAll(async () => {
    [browser, runtimes] = await Promise.all([
      startBrowser(chromium ?? ''),
      Promise.all([startRuntime(answer), startRuntime(answer)]),
    ]);
    const [studio, rack] = runtimes.map(({ url }) => url);
    scene = await startSceneOn([studio ?? '', rack ?? ''], 'openai-compatible');
    await addDeadRuntime(scene);
    // One browser with a page for each look: its operator signs in once.
    const first = await openAdminPage(browser, scene);
    const others = await Promise.all(LOOKS.slice(1).map(() => openBeside(first, scene)));
    const opened = [first, ...others];
    looks = await Promise.all(
      LOOKS.map(async ({ name, colorScheme, size }, i) => {
        const open = present(opened[i], 'there is a page for each look');
        await open.page.setViewportSize(SIZES[size]);
        await open.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        return { name, ...open };
      }),
    );
    if (shots !== undefined) mkdirSync(shots, { recursive: true });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await browser.close();
    await scene[Symbol.asyncDispose]();
    await Promise.all(runtimes.map((runtime) => runtime[Symbol.asyncDispose]()));
  });

  /** What all four see of a section, once its legend says `answered`. */
  const see = async (address: string, answered: string) =>
    Promise.all(
      looks.map(async ({ name, page, go }) => {
        await go(address);
        const legend = page.locator('.chart').first().locator('.legend-1 b');
        await eventually(() => legend.textContent()).toBe(answered);
        await page.waitForTimeout(150);
        if (shots !== undefined) {
          const file = `first-minute-${answered}-${address.replaceAll(/\W/g, '')}-${name.replace(', ', '-')}.png`;
          await page.screenshot({ path: join(shots, file) });
        }
        return { name, charts: await readCharts(page) };
      }),
    );

  it('has a bar and points for one request', async () => {
    await (await askGateway(scene, {})).text();
    for (const address of ['/', '/metrics?range=24h']) {
      for (const { name, charts } of await see(address, '1')) {
        expect([name, charts.length]).toEqual([name, address === '/' ? 2 : 5]);
        expectPixels(name, charts);
        expect(legendValues(charts, 'Refused', 'Failed')).toEqual(['0', '0']);
      }
    }
  });

  it('has bars of another colour for a refusal and a failure among three requests, and durations without them', async () => {
    await (await askGateway(scene, { stream: true })).text();
    await (await askGateway(scene, {})).text();
    expect((await askGateway(scene, { model: 'none' })).status).toBe(404);
    expect((await askGateway(scene, { model: 'dead' })).status).toBeGreaterThanOrEqual(500);
    for (const address of ['/', '/metrics?range=1y']) {
      for (const { name, charts } of await see(address, '3')) {
        expectPixels(name, charts);
        expect(legendValues(charts, 'Refused', 'Failed')).toEqual(['1', '1']);
      }
    }
    const { json } = await scene.admin.script('GET', '/admin/api/metrics?from=2026-01-01T00:00:00Z&step=day');
    expect(json).toMatchObject({ total: { requests: 5, answered: 3, refused: 1, failed: 1, errors: 2, aborted: 0 } });
  });

  it('is readable by anybody after two hundred requests', { timeout: TIMEOUT_MS }, async () => {
    for (let i = 0; i < 197; i += 8) {
      const asks = Array.from({ length: Math.min(8, 197 - i) }, () => askGateway(scene, { max_tokens: 1 }));
      await Promise.all(asks.map(async (asked) => (await asked).text()));
    }
    for (const address of ['/', '/metrics?range=1h']) {
      for (const { name, charts } of await see(address, '200')) expectPixels(name, charts);
    }
    const found = looks.map(async ({ name, page, go, faults }) => {
      // Each width and each appearance once is enough for the Overview, and for Metrics.
      if (name === 'wide, light' || name === 'narrow, dark') {
        await go('/');
        await page.getByText('Live', { exact: true }).waitFor();
      }
      return [name, await seriousFindings(page), faults];
    });
    expect(await Promise.all(found)).toEqual(looks.map(({ name }) => [name, [], []]));
  });

  it('says one request and two requests, and uses the room of a wide Overview', async () => {
    const [wide] = looks;
    const page = wide?.page;
    const text = (await page?.locator('main').textContent()) ?? '';
    expect(text).toContain('1 of 1 key active');
    expect(text).toContain('200 requests');
    const boxes = await Promise.all((await page?.locator('main .card').all())?.map((card) => card.boundingBox()) ?? []);
    const right = (await page?.locator('main').boundingBox())?.width ?? 0;
    const widths = new Map<number, number>();
    for (const box of boxes) widths.set(box?.y ?? 0, (widths.get(box?.y ?? 0) ?? 0) + (box?.width ?? 0));
    expect(widths.size).toBe(2);
    for (const width of widths.values()) expect(width / right).toBeGreaterThan(0.9);
  });
});

/** Adds a model whose runtime answers nothing. */
async function addDeadRuntime({ admin: { script } }: PlainScene): Promise<void> {
  const { etag } = (await script('GET', '/admin/api/config')).json as { etag: string };
  const edits = [
    { action: 'add', list: 'runtimes', entry: { id: 'dead', kind: 'native-engine', base_url: 'http://127.0.0.1:9' } },
    { action: 'add', list: 'models', entry: { id: 'dead', targets: [{ runtime: 'dead', model: 'demo' }] } },
  ];
  const { status, text } = await script('POST', '/admin/api/config/edits', {
    body: { edits },
    headers: { 'if-match': `"${etag}"` },
  });
  if (status !== 200) throw new Error(text);
}
