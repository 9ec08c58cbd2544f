// The account page and the operator page in a headless browser, on the API alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, newContext, seriousFindings, startBrowser, watchFaults } from '../support/browser.js';
import { listOf, startListing, type ListingServer } from './gateways/listing-server.js';
import { startHosted, type StartedHosted } from './serving/start-hosted.js';

const chromium = findChromium();
const HOSTILE = '<img src=x onerror=alert(1)>';

describe.skipIf(chromium === undefined)(
  `pages of the hosted API ${chromium === undefined ? '(skipped: no chromium)' : ''}`,
  () => {
    let browser: Browser;
    let gateway: ListingServer;
    let hosted: StartedHosted;
    beforeAll(async () => {
      browser = await startBrowser(chromium ?? '');
      gateway = await startListing(listOf('llama3', HOSTILE.replaceAll(' ', '')));
      hosted = await startHosted({
        gateways: { allow_private: ['127.0.0.0/8'] },
        operator: { port: 0 },
        base_paths: ['/api'],
      });
    }, 60_000);
    afterAll(async () => {
      await browser.close();
      await hosted[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    });

    const open = async (url: string, options: Parameters<typeof newContext>[1] = {}) => {
      const context = await newContext(browser, { reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      const faults = await watchFaults(page, new URL(url).origin, [/status of (401|400|403|404)/]);
      await page.goto(url);
      return { context, page, faults };
    };
    const signIn = async (page: Page, label: string, secret: string): Promise<void> => {
      await page.getByLabel(label).fill(secret);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    const operatorToken = (): string => readFileSync(join(hosted.dataDir, 'operator-token'), 'utf8').trim();

    it('an operator makes an account with money and a key, connects a gateway and sets prices', async () => {
      const { operator } = hosted.hosted;
      const { context, page, faults } = await open(operator?.url ?? '');
      await signIn(page, 'Operator token', 'hop_wrong');
      await page.getByText('needs its token').waitFor();
      await signIn(page, 'Operator token', operatorToken());
      await page.getByRole('button', { name: 'New account' }).click();
      await page.getByLabel('Name').fill(HOSTILE);
      await page.getByRole('button', { name: 'Make account' }).last().click();
      await page.getByRole('button', { name: 'Book money' }).click();
      await page.getByLabel('Amount in USD').fill('12.50');
      await page.getByLabel('Reference').fill('payment-1');
      await page.getByRole('button', { name: 'Book', exact: true }).last().click();
      await page.getByText('$12.50').first().waitFor();
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('dialog').last().getByLabel('Name').fill('laptop');
      await page.getByRole('button', { name: 'Make key' }).last().click();
      await page.getByText(/^hak_/).first().waitFor();
      expect(await seriousFindings(page)).toEqual([]);

      await page.goto(`${operator?.url}/gateways`);
      await page.getByRole('button', { name: 'Connect a gateway' }).click();
      await page.getByLabel('Slug').fill('berlin');
      await page.getByLabel('Name').fill('Berlin');
      await page.getByLabel('Address').fill('http://169.254.169.254');
      await page.getByRole('button', { name: 'Connect', exact: true }).last().click();
      await page.getByText('link-local address').waitFor();
      await page.getByLabel('Address').fill(gateway.url);
      await page.getByRole('button', { name: 'Connect', exact: true }).last().click();
      await page.getByRole('heading', { name: '2 of 2 models offered' }).waitFor();
      expect(await seriousFindings(page)).toEqual([]);

      await page.goto(`${operator?.url}/prices`);
      await page.getByRole('button', { name: 'Import prices' }).click();
      await page
        .getByLabel('Prices as CSV')
        .fill('provider,model,currency,input,output\npgw/berlin,llama3,USD,x,0.40\n');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('line.csv:2: input must be').waitFor();
      await page
        .getByLabel('Prices as CSV')
        .fill('provider,model,currency,input,output\npgw/berlin,llama3,USD,0.10,0.40\n');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('rowheader', { name: 'llama3' }).waitFor();

      await page.goto(`${operator?.url}/ledger`);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('The books are right').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Operator token').waitFor();
      expect(faults).toEqual([]);
      await context.close();
    }, 90_000);

    it('an account sees its balance, keys and the catalog, below any path, and no other account', async () => {
      const payer = await hosted.payer(7);
      const other = await hosted.payer(999);
      for (const base of ['', '/api']) {
        const { context, page, faults } = await open(`http://127.0.0.1:${hosted.port}${base}/account`, {
          colorScheme: base === '' ? 'dark' : 'light',
        });
        expect(page.url()).toMatch(new RegExp(`${base}/account/$`));
        await signIn(page, 'API key', `${payer.secret}x`);
        await page.getByText(/key/i).first().waitFor();
        await signIn(page, 'API key', payer.secret);
        await page.getByText('$7.00').first().waitFor();
        expect(await seriousFindings(page)).toEqual([]);
        await page.getByRole('link', { name: 'Keys' }).click();
        await page.getByRole('rowheader', { name: 'a key' }).waitFor();
        await page.getByRole('link', { name: 'Requests' }).click();
        await page.getByText('There was no request yet').waitFor();
        await page.getByRole('link', { name: 'Catalog' }).click();
        await page.getByRole('rowheader', { name: 'llama3' }).waitFor();
        await page.getByText(`${base}/pgw/berlin/v1`).first().waitFor();
        await page.getByText('$0.40').first().waitFor();
        expect(await seriousFindings(page)).toEqual([]);
        const html = await page.content();
        for (const word of [payer.secret, other.account.id, other.key.prefix, '999']) expect(html).not.toContain(word);
        // The key ends with the tab, and no cookie has it.
        expect(await context.cookies()).toEqual([]);
        expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(payer.secret);
        await page.reload();
        await page.getByRole('rowheader', { name: 'llama3' }).waitFor();
        expect(faults).toEqual([]);
        await context.close();
      }
    }, 90_000);

    it('answers the operator page by no other name, to no other page, and without its token nothing', async () => {
      const url = hosted.hosted.operator?.url ?? '';
      const ask = (headers: Readonly<Record<string, string>>) =>
        fetch(`${url}/operator/accounts.list`, {
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json', ...headers },
        });
      expect((await ask({})).status).toBe(401);
      expect((await ask({ authorization: 'Bearer hop_no' })).status).toBe(401);
      const authorization = `Bearer ${operatorToken()}`;
      expect((await ask({ authorization })).status).toBe(200);
      expect((await ask({ authorization, origin: 'https://evil.example' })).status).toBe(403);
      const unknown = await fetch(`${url}/operator/accounts.lst`, {
        method: 'POST',
        body: '{}',
        headers: { authorization, 'content-type': 'application/json' },
      });
      expect(await unknown.json()).toMatchObject({ error: { code: 'operation_unknown' } });
    });
  },
);
