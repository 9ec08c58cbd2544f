// The account page and the operator page in a headless browser, on the API alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, newContext, seriousFindings, startBrowser, watchFaults } from '../support/browser.js';
import { listOf, startListing, type ListingServer } from './gateways/listing-server.js';
import type { NewPrice } from '../../src/billing/index.js';
import { settleOne } from './settle-one.js';
import { startHosted, type StartedHosted } from './serving/start-hosted.js';

const chromium = findChromium();
const HOSTILE = '<img src=x onerror=alert(1)>';

/** A price of a thousandth for each token. */
const PAID: NewPrice = {
  provider: 'pgw/berlin',
  model: 'llama3',
  effectiveFromMs: 0,
  currency: 'USD',
  inputNano: 1_000_000n,
  cachedInputNano: 1_000_000n,
  outputNano: 1_000_000n,
  requestNano: 0n,
  imageNano: 0n,
  audioNano: 0n,
};

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
    });
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
    });

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
    });

    it('an operator sees usage, requests, audit and health, and rotates a key, at 1280 and 375 pixels', async () => {
      const payer = await hosted.payer(4);
      await hosted.billing.prices.add([{ ...PAID, provider: 'pgw/berlin', model: 'llama3' }], 'test');
      await settleOne(hosted, payer, 'pgw/berlin', 'llama3');
      const url = hosted.hosted.operator?.url ?? '';
      for (const width of [1280, 375]) {
        const { context, page, faults } = await open(url, { viewport: { width, height: 800 } });
        await signIn(page, 'Operator token', operatorToken());
        await page.getByRole('region', { name: 'Accounts' }).or(page.getByText(payer.account.name)).first().waitFor();
        await page.goto(`${url}/metrics`);
        await page.getByRole('heading', { name: 'By account' }).waitFor();
        await page.getByText(payer.account.name).first().waitFor();
        expect(await seriousFindings(page)).toEqual([]);
        await page.goto(`${url}/requests`);
        await page.getByText('llama3').first().waitFor();
        expect(await seriousFindings(page)).toEqual([]);
        await page.goto(`${url}/audit`);
        await page
          .getByText(/made key a key of account payer/)
          .first()
          .waitFor();
        await page.getByRole('button', { name: 'Verify the chain' }).click();
        await page.getByText(/follow from the one before/).waitFor();
        const saved = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Export all as CSV' }).click();
        expect(readFileSync(await (await saved).path(), 'utf8')).toMatch(/^seq,time,sentence,/);
        expect(await seriousFindings(page)).toEqual([]);
        await page.goto(`${url}/health`);
        await page.getByRole('region', { name: 'Actors' }).first().waitFor();
        await page.getByText('Nodes that live').waitFor();
        expect(await seriousFindings(page)).toEqual([]);
        await page.goto(`${url}/?open=${payer.account.id}`);
        await page.getByRole('list', { name: 'Payments and refunds' }).waitFor();
        await page.getByRole('button', { name: 'Rotate' }).click();
        await page.getByLabel('The secret before is still taken').selectOption('0');
        await page.getByText('Every older secret of the key ends at once').waitFor();
        await page.getByRole('button', { name: 'Rotate', exact: true }).last().click();
        await page.getByText(/^hak_/).first().waitFor();
        expect(await seriousFindings(page)).toEqual([]);
        expect(faults).toEqual([]);
        await context.close();
      }
      const refused = await fetch(`http://127.0.0.1:${hosted.port}/v1/balance`, { headers: payer.headers });
      expect(refused.status).toBe(401);
    });

    it('an owner of a key sees the statement and rotates the key that signed in, and goes on with the new one', async () => {
      const payer = await hosted.payer(3);
      await hosted.operate('accounts.credit', { id: payer.account.id, amount: '-1.00', reference: 'returned-1' });
      const { context, page, faults } = await open(`http://127.0.0.1:${hosted.port}/account`);
      await signIn(page, 'API key', payer.secret);
      await page.getByRole('link', { name: 'Statement' }).click();
      await page.getByText('returned-1').waitFor();
      await page.getByText('-$1.00').or(page.getByText('−$1.00')).first().waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      expect(readFileSync(await (await download).path(), 'utf8')).toContain(',refund,-1,USD,returned-1,');
      await page.getByRole('link', { name: 'Keys' }).click();
      await page.getByRole('rowheader', { name: 'a key' }).click();
      await page.getByLabel('The secret before is still taken').selectOption('0');
      await page.getByRole('button', { name: 'Rotate', exact: true }).click();
      const secret = (await page.getByText(/^hak_/).first().textContent()) ?? '';
      expect(secret).not.toBe(payer.secret);
      expect(await seriousFindings(page)).toEqual([]);
      await page.reload();
      await page.getByRole('rowheader', { name: 'a key' }).waitFor();
      const status = async (key: string): Promise<number> =>
        (await fetch(`http://127.0.0.1:${hosted.port}/v1/balance`, { headers: { authorization: `Bearer ${key}` } }))
          .status;
      expect([await status(payer.secret), await status(secret)]).toEqual([401, 200]);
      expect(faults).toEqual([]);
      await context.close();
    });

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
