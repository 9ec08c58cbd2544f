// A real browser, and what must never be seen in one.
import axe from 'axe-core';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** Where Debian, other systems and Chrome's own package have it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of a Chromium on this machine; undefined where there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts one. Without a sandbox, since suites may run as root. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** The messages of a page that a test caused itself, as by a request that is refused: not among its faults. */
const OF_TESTS: readonly RegExp[] = [/blocked by Playwright/];

/**
 * Collects the faults of a page from now on: messages of the console, uncaught errors, breaches of the policy, requests to
 * elsewhere.
 */
export async function watchFaults(page: Page, url: string, expected: readonly RegExp[] = []): Promise<string[]> {
  const faults: string[] = [];
  page.on('console', (message) => {
    const isExpected = [...OF_TESTS, ...expected].some((pattern) => pattern.test(message.text()));
    if (['error', 'warning'].includes(message.type()) && !isExpected) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const target = request.url();
    if (!target.startsWith(url) && !/^(?:data|blob):/.test(target)) faults.push(`request: ${target}`);
  });
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  );
  return faults;
}

/** A page in a context of its own. */
export async function newContext(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    serviceWorkers: 'block',
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  // Other suites run beside, and may take most of the machine.
  context.setDefaultTimeout(120_000);
  return context;
}

/** The findings of axe that keep users from using a page: serious and critical, by the rules of WCAG 2.2 AA. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as { violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[] };
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`,
    );
}
