import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, seriousFindings, startBrowser } from '../../../support/browser.js';
import { eventually } from '../../../support/eventually.js';
import { startServing, type Serving } from '../../../server/serving.js';
import { hostileMarkdown } from './hostile-markdown.js';
import { answered, ask, conversationFile, importFile, openPage, send, slowDown } from './open-page.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';

describe.skipIf(chromium === undefined)(`the chat page in a browser${why}`, () => {
  let serving: Serving;
  let browser: Browser;
  beforeAll(async () => {
    serving = await startServing();
    cpSync('dist/demo', join(serving.modelsDir, 'second'), { recursive: true });
    browser = await startBrowser(chromium ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await serving[Symbol.asyncDispose]();
  });

  const texts = (page: Page, selector: string): Promise<string[]> => page.locator(selector).allTextContents();

  it('sends, streams an answer with its thinking folded, and tells what it took', async () => {
    await using open = await openPage(browser, serving.url);
    const { page, faults } = open;
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'On' }).check();
    await page.keyboard.press('Escape');
    expect(await ask(page, 'What is 12 + 30?')).toContain('42');
    const thinking = page.locator('.thinking');
    expect(await thinking.locator('.thinking-text').isVisible()).toBe(false);
    await thinking.locator('summary').click();
    expect(await thinking.locator('.thinking-text').textContent()).toContain('42');
    expect(await page.locator('.answer .facts').last().textContent()).toMatch(
      /^demo · \d+ tokens · [\d,.]+ tokens\/s$/,
    );
    await eventually(() => page.locator('.context').textContent()).toMatch(/^\d+ of 1,024 tokens of context$/);
    expect(await page.title()).toBe('What is 12 + 30? – Troupe');
    expect(open.sent.at(-1)).toMatchObject({ enable_thinking: true, stream: true });
    expect(faults).toEqual([]);
  });

  it('stops an answer and keeps what came, says little of it to a screen reader, and answers again beside it', async () => {
    await using open = await openPage(browser, serving.url);
    const { page } = open;
    // An answer that does not end by itself, at the speed of a large model.
    await page.route('**/v1/chat/completions', (route) => {
      const body = JSON.parse(route.request().postData() ?? '{}') as object;
      return route.continue({ postData: JSON.stringify({ ...body, ignore_eos: true }) });
    });
    await slowDown(page, 20_000);
    await page.evaluate(
      `window.said = []; new MutationObserver(() => said.push(document.querySelector('[data-part=spoken]').textContent)).observe(document.querySelector('[data-part=spoken]'), { characterData: true, childList: true, subtree: true })`,
    );
    await send(page, 'Tell me a story.');
    const text = page.locator('.answer .markdown');
    await eventually(async () => (await text.textContent().catch(() => ''))?.length ?? 0).toBeGreaterThan(20);
    await page.keyboard.press('Escape');
    await answered(page);
    expect(await texts(page, '.remark')).toEqual(['Stopped.']);
    const kept = await text.textContent();
    expect(kept?.length).toBeGreaterThan(20);
    const said = (await page.evaluate('said')) as string[];
    expect(said.filter(Boolean)).toEqual([
      'The answer begins.',
      expect.stringContaining('The answer was stopped after '),
    ]);
    await page.unroute('**/v1/chat/completions');
    await slowDown(page, 0);
    await page.getByRole('button', { name: 'Answer again' }).click();
    await eventually(() => page.locator('.answer .versions').textContent()).toContain('2 / 2');
    await answered(page);
    await page.getByRole('button', { name: 'Version before' }).click();
    expect(await text.textContent()).toBe(kept);
    expect(open.faults).toEqual([]);
  });

  it('goes on from an edited message, and keeps what it replaced', async () => {
    await using open = await openPage(browser, serving.url);
    const { page } = open;
    await ask(page, 'What is 1 + 1?');
    await ask(page, 'What is the capital of Norway?');
    await page.locator('.question').first().hover();
    await page.locator('.question').first().getByRole('button', { name: 'Edit' }).click();
    await page.locator('.editor textarea').fill('What is 2 + 2?');
    await page.keyboard.press('Enter');
    await eventually(() => texts(page, '.question .bubble')).toEqual(['What is 2 + 2?']);
    await answered(page);
    expect(open.sent.at(-1)?.['messages']).toEqual([{ role: 'user', content: 'What is 2 + 2?' }]);
    await page.locator('.question .versions').getByRole('button', { name: 'Version before' }).click();
    expect(await texts(page, '.question .bubble')).toEqual(['What is 1 + 1?', 'What is the capital of Norway?']);
    expect(open.faults).toEqual([]);
  });

  it('asks the model and by the settings that were chosen, and refuses numbers that cannot be', async () => {
    await using open = await openPage(browser, serving.url);
    const { page } = open;
    await page.getByLabel('Model').selectOption('second');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('System prompt').fill('You are kind.');
    await page.getByLabel('Temperature').fill('0');
    await page.getByLabel('Top-p').fill('7');
    expect(await page.locator('.hint.wrong').textContent()).toBe('Not taken: a number from 0 to 1');
    await page.getByLabel('Longest answer').fill('5');
    await page.getByLabel('Seed').fill('11');
    await page.keyboard.press('Escape');
    await ask(page, 'Tell me a story.');
    const asked = { model: 'second', temperature: 0, max_tokens: 5, seed: 11 };
    expect(open.sent.at(-1)).toMatchObject({ ...asked, messages: [{ role: 'system', content: 'You are kind.' }, {}] });
    expect(open.sent.at(-1)).not.toHaveProperty('top_p');
    expect(await texts(page, '.remark')).toEqual(['The answer was cut at its limit of tokens.']);
    expect(await page.locator('.answer .facts').last().textContent()).toContain('second · 5 tokens');
    expect(open.faults).toEqual([]);
  });

  it('keeps conversations over a reload; finds, renames and deletes them, and brings one back', async () => {
    await using open = await openPage(browser, serving.url);
    const { page } = open;
    const first = await ask(page, 'What is 1 + 1?');
    await page.keyboard.press('Control+Shift+O');
    await ask(page, 'Tell me a story.');
    await page.reload();
    await eventually(() => texts(page, '.title-open')).toEqual(['Tell me a story.', 'What is 1 + 1?']);
    await page.getByLabel('Search the conversations').fill('1 +');
    expect(await texts(page, '.title-open')).toEqual(['What is 1 + 1?']);
    await page.locator('.title-open').click();
    expect(await page.locator('.answer .markdown').textContent()).toBe(first);
    await page.getByRole('button', { name: 'Rename What is 1 + 1?' }).click();
    await page.getByLabel('Title').fill('A sum, 1 + 1');
    await page.keyboard.press('Enter');
    await eventually(() => texts(page, '.title-open')).toEqual(['A sum, 1 + 1']);
    await page.getByRole('button', { name: 'Delete A sum, 1 + 1' }).click();
    await page.locator('.none', { hasText: 'Nothing found' }).waitFor();
    expect(await page.locator('.answer').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(() => texts(page, '.title-open')).toEqual(['A sum, 1 + 1']);
    await page.locator('.title').hover();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export A sum, 1 + 1' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toContain('"title": "A sum, 1 + 1"');
    expect(open.faults).toEqual([]);
  });

  it('runs nothing of what a model writes, loads nothing for it, and breaks no rule of its policy', async () => {
    await using open = await openPage(browser, serving.url);
    const { page, faults } = open;
    await importFile(page, conversationFile(hostileMarkdown));
    expect(await page.locator('.answer .markdown').count()).toBe(hostileMarkdown.length);
    const found = (await page.evaluate(`({
      hacked: window.hacked,
      active: document.querySelectorAll('.markdown :is(script, style, img, svg, iframe, object, embed, form, input, link, meta, base, template, math, x)').length,
      attributes: [...new Set([...document.querySelectorAll('.markdown *')].flatMap((one) => one.getAttributeNames()))].sort(),
      links: [...document.querySelectorAll('.markdown a')].map((link) => [link.protocol, link.rel, link.target].join(' ')),
      twins: document.querySelectorAll('#message').length,
    })`)) as { hacked: unknown; active: number; attributes: string[]; links: string[]; twins: number };
    expect(found).toMatchObject({ hacked: undefined, active: 0, twins: 1 });
    const harmless = ['aria-label', 'class', 'dir', 'href', 'rel', 'role', 'tabindex', 'target', 'title', 'type'];
    expect(found.attributes.filter((name) => !harmless.includes(name))).toEqual([]);
    expect(found.links.length).toBeGreaterThan(3);
    expect(new Set(found.links)).toEqual(new Set(['https: noopener noreferrer nofollow _blank']));
    for (const link of await page.locator('.markdown').getByText('click', { exact: true }).all())
      await link.click({ force: true });
    expect([await page.evaluate('window.hacked'), await page.evaluate('location.pathname'), faults]).toEqual([
      undefined,
      '/',
      [],
    ]);
  });

  it('shows Markdown, code to copy, tool calls, and text from right to left in its place', async () => {
    await using open = await openPage(browser, serving.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = open;
    const text = '# Title\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```ts\nlet a = 1;\n```\n\n- **one**\n\nمرحبا بالعالم';
    const calls = { toolCalls: [{ id: 'c', name: 'look_up', arguments: '{"city":"Oslo"}' }] };
    await importFile(page, conversationFile([text], calls));
    const answer = page.locator('.answer');
    expect(await answer.locator('h1').textContent()).toBe('Title');
    expect(await answer.locator('td').allTextContents()).toEqual(['1', '2']);
    expect(await answer.locator('li strong').textContent()).toBe('one');
    await answer.locator('.code-copy').click();
    await answer.getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('let a = 1;');
    expect(await answer.locator('.call').textContent()).toContain('"city": "Oslo"');
    const direction = await page.evaluate(
      `getComputedStyle([...document.querySelectorAll('.block')].at(-1)).direction`,
    );
    expect(direction).toBe('rtl');
    expect(open.faults).toEqual([]);
  });

  it('is used by the keyboard alone', async () => {
    await using open = await openPage(browser, serving.url);
    const { page } = open;
    const focused = (): Promise<unknown> =>
      page.evaluate(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`);
    expect(await focused()).toBe('Message');
    await page.keyboard.type('What is 1 + 1?');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Quick.');
    await page.keyboard.press('Enter');
    await answered(page);
    expect(await texts(page, '.question .bubble')).toEqual(['What is 1 + 1?\nQuick.']);
    await page.keyboard.press('ArrowUp');
    await eventually(() => page.locator('.editor textarea').inputValue()).toBe('What is 1 + 1?\nQuick.');
    await page.keyboard.press('Escape');
    await eventually(focused).toBe('Edit');
    await page.keyboard.press('Control+/');
    expect(await page.getByRole('dialog').textContent()).toContain('Send the message');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+,');
    await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await eventually(focused).toBe('Search the conversations');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Rename');
    const outline = await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`);
    expect(outline).toBe('solid');
    expect(open.faults).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has no serious finding of axe in its %s appearance', async (colorScheme) => {
    await using open = await openPage(browser, serving.url, { colorScheme, reducedMotion: 'reduce' });
    const { page } = open;
    const findings = (): Promise<readonly string[]> => seriousFindings(page);
    expect(await findings()).toEqual([]);
    const failure = { code: 'x', message: 'It failed.', advice: 'Try again.' };
    const answers = [
      '**a** [link](https://example.org) `code`\n\n> quote\n\n```ts\nlet a;\n```\n\n| a |\n|---|\n| b |',
      'Partly.',
    ];
    await importFile(
      page,
      conversationFile(answers, {
        failure,
        reasoning: 'thought',
        toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }],
      }),
    );
    await page.locator('.thinking summary').click();
    await page.locator('.message-footer').first().hover();
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Settings' }).click();
    expect(await findings()).toEqual([]);
    if (colorScheme === 'dark') return;
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+/');
    expect(await findings()).toEqual([]);
  });

  it('fits a phone, where the list of conversations is a drawer', async () => {
    await using open = await openPage(browser, serving.url, {
      viewport: { width: 360, height: 740 },
      isMobile: true,
      hasTouch: true,
    });
    const { page } = open;
    const code = `\`\`\`\n${'x'.repeat(300)}\n\`\`\`\n\n| ${'column | '.repeat(9)}\n|${'---|'.repeat(9)}\n\n${'word'.repeat(80)}`;
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('button', { name: 'Close the list' }).click();
    await eventually(() => page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Conversations');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.locator('input[type=file]').setInputFiles(conversationFile([code]));
    await page.locator('.toast').waitFor();
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.locator('.title-open').click();
    await page.locator('.answer .code').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.evaluate(`document.querySelector('.thread').scrollWidth`)).toBeLessThanOrEqual(360);
    expect(open.faults).toEqual([]);
  });

  it('keeps the appearance that was chosen', async () => {
    await using open = await openPage(browser, serving.url, { colorScheme: 'light' });
    const { page } = open;
    const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: 'Dark appearance' }).click();
    await eventually(ground).not.toBe(light);
    const dark = await ground();
    await page.reload();
    await eventually(ground).toBe(dark);
    await page.getByRole('button', { name: 'Light appearance' }).click();
    await eventually(ground).toBe(light);
  });
});
