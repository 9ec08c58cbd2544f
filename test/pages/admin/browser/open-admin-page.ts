// The admin page in a browser, against a gateway with two runtimes: our engine with the demo model, twice.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { stringify } from 'yaml';
import { startAdmin, type AdminHome, type StartedAdmin } from '../../../gateway/admin/start-admin.js';
import { makeKey, type TestKey } from '../../../gateway/serving/start-gateway.js';
import type { GatewaySetup, RuntimeKindName } from '../../../../src/gateway/index.js';
import { startServing, type Serving } from '../../../server/serving.js';
import { newContext, watchFaults } from '../../../support/browser.js';
import { type FileParts } from '../../../support/start-product.js';

/** A gateway with two runtimes, and a key. */
export interface PlainScene extends AsyncDisposable {
  readonly admin: StartedAdmin;
  readonly key: TestKey;
  /** Where the page is. */
  readonly url: string;
}

/** The same with our engine as both runtimes. */
export interface Scene extends PlainScene {
  readonly engines: readonly [Serving, Serving];
}

/** Starts all of it. Models: `demo` on both, `second` on the second engine. */
export async function startScene(
  parts: FileParts = {},
  setup: Partial<GatewaySetup> = {},
  where?: AdminHome,
): Promise<Scene> {
  const engines = await Promise.all([startServing(), startServing()] as const);
  cpSync('dist/demo', join(engines[1].modelsDir, 'second'), { recursive: true });
  const urls = [engines[0].url, engines[1].url] as const;
  const scene = await startSceneOn(urls, 'native-engine', parts, setup, where);
  return {
    ...scene,
    engines,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await Promise.all(engines.map((engine) => engine[Symbol.asyncDispose]()));
    },
  };
}

/** Starts a gateway on two runtimes of a kind that listen already. */
export async function startSceneOn(
  urls: readonly [string, string],
  kind: RuntimeKindName,
  parts: FileParts = {},
  setup: Partial<GatewaySetup> = {},
  where?: AdminHome,
): Promise<PlainScene> {
  const key = makeKey('vk_app', { name: 'Chat app', limits: { requests_per_minute: 600 } });
  const price = { input_per_million: '0.10', output_per_million: '0.40', currency: 'EUR' };
  const admin = await startAdmin(
    {
      runtimes: [
        { id: 'studio', kind, base_url: urls[0] },
        { id: 'rack', kind, base_url: urls[1] },
      ],
      models: [
        {
          id: 'demo',
          targets: [
            { runtime: 'studio', model: 'demo' },
            { runtime: 'rack', model: 'demo', order: 1 },
          ],
          price,
        },
        { id: 'second', targets: [{ runtime: 'rack', model: 'second' }] },
      ],
      virtual_keys: [key.entry],
      ...parts,
    },
    setup,
    where,
  );
  // A file as an operator has it, in lines.
  const { path, gateway } = admin.started;
  writeFileSync(path, stringify(JSON.parse(readFileSync(path, 'utf8'))));
  await gateway.reload();
  return {
    admin,
    key,
    url: `http://127.0.0.1:${admin.adminPort}`,
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
  };
}

/** A page that is signed in, and what went wrong in it. */
export interface AdminPage extends AsyncDisposable {
  readonly page: Page;
  readonly faults: string[];
  /** Opens a section, or what is at an address. */
  go(address: string): Promise<void>;
}

/** What a browser says of a request that was refused, which tests cause on purpose. */
export const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Opens the page and signs in. */
export async function openAdminPage(
  browser: Browser,
  { url, admin }: PlainScene,
  options: BrowserContextOptions & { readonly expected?: readonly RegExp[] } = {},
): Promise<AdminPage> {
  const { expected = [], ...others } = options;
  const context = await newContext(browser, { locale: 'en-GB', timezoneId: 'UTC', ...others });
  const page = await context.newPage();
  const faults = await watchFaults(page, url, expected);
  await page.goto(url);
  await signIn(page, admin.token);
  await page.locator('.shell').waitFor();
  return toAdminPage(page, url, faults);
}

/** Another page of a browser in which somebody is signed in already. */
export async function openBeside(first: AdminPage, { url }: PlainScene): Promise<AdminPage> {
  const page = await first.page.context().newPage();
  return toAdminPage(page, url, await watchFaults(page, url));
}

function toAdminPage(page: Page, url: string, faults: string[]): AdminPage {
  return {
    page,
    faults,
    async go(address) {
      await page.goto(url + address);
      await page.locator('.shell').waitFor();
    },
    [Symbol.asyncDispose]: () => page.context().close(),
  };
}

/** Writes the token into the form that is there. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Sends a request as a client of the gateway. */
export async function askGateway({ admin, key }: PlainScene, body: object): Promise<Response> {
  return fetch(`${admin.started.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...key.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo',
      messages: [{ role: 'user', content: 'What is 1 + 1?' }],
      max_tokens: 8,
      ...body,
    }),
  });
}
