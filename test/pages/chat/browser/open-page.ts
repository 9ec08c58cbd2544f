// The chat page in a browser, and what is done with it.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { newContext, watchFaults } from '../../../support/browser.js';

/** A page, and what went wrong in it. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Messages of errors and warnings of the console, uncaught errors, breaches of the policy, requests to elsewhere. */
  readonly faults: string[];
  /** Bodies of the requests for answers. */
  readonly sent: Record<string, unknown>[];
}

/** Opens the chat page. A worker is only there where a test is about it. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await newContext(browser, options);
  const page = await context.newPage();
  const faults = await watchFaults(page, url);
  const sent: Record<string, unknown>[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(JSON.parse(request.postData() ?? '{}') as Record<string, unknown>);
  });
  await page.goto(url);
  await page.locator('.model option').first().waitFor({ state: 'attached' });
  return { page, faults, sent, [Symbol.asyncDispose]: () => context.close() };
}

/** Writes a message and sends it by the keyboard. */
export async function send(page: Page, text: string): Promise<void> {
  await page.locator('#message').fill(text);
  await page.locator('#message').press('Enter');
}

/** Waits until nothing is being answered. */
export async function answered(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
}

/** Sends a message and waits for the whole answer, which it returns. */
export async function ask(page: Page, text: string): Promise<string> {
  const before = await page.locator('.answer').count();
  await send(page, text);
  await page.locator('.answer').nth(before).waitFor();
  await answered(page);
  return (await page.locator('.answer .markdown').last().textContent()) ?? '';
}

/** Slows what comes from the server to so many bytes a second; 0 ends it. */
export async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const downloadThroughput = bytesPerSecond === 0 ? -1 : bytesPerSecond;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput,
    uploadThroughput: -1,
  });
}

/** A file that the page imports: one conversation whose answers are `texts`, with what else is given for the last. */
export function conversationFile(
  texts: readonly string[],
  more: object = {},
): { name: string; mimeType: string; buffer: Buffer } {
  const turns = texts.flatMap((text, at) => [
    { id: `q${at}`, parent: at === 0 ? null : `a${at - 1}`, role: 'user', text: `Question ${at + 1}` },
    {
      id: `a${at}`,
      parent: `q${at}`,
      role: 'assistant',
      text,
      finish: 'stop',
      ...(at === texts.length - 1 ? more : {}),
    },
  ]);
  const conversation = {
    id: 'imported',
    title: 'Imported',
    createdMs: 1,
    changedMs: 1,
    turns,
    shown: {},
    settings: {},
  };
  const file = { format: 'troupe-conversations', version: 1, conversations: [conversation] };
  return { name: 'c.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(file)) };
}

/** Imports a file and opens its conversation. */
export async function importFile(page: Page, file: ReturnType<typeof conversationFile>): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.locator('.toast', { hasText: 'imported' }).waitFor();
  await page.locator('.title-open', { hasText: 'Imported' }).click();
  await page.locator('.answer').first().waitFor();
}
