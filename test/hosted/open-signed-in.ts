import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { newContext } from '../support/browser.js';

/** A page of the hosted API in a context of its own, signed in with `secret` in the field `label`. */
export async function openSignedIn(
  browser: Browser,
  { url, label, secret }: { readonly url: string; readonly label: string; readonly secret: string },
  options: BrowserContextOptions,
): Promise<Page> {
  const context = await newContext(browser, { reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel(label).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.shell').waitFor();
  return page;
}
