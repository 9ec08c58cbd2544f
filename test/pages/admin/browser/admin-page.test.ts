import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, seriousFindings, startBrowser } from '../../../support/browser.js';
import { columnsInSight } from '../../../support/columns-in-sight.js';
import { eventually } from '../../../support/eventually.js';
import { askGateway, openAdminPage, REFUSED, signIn, startScene, type Scene } from './open-admin-page.js';

const chromium = findChromium();
const why = chromium === undefined ? ' (skipped: there is no chromium on this machine)' : '';

describe.skipIf(chromium === undefined)(`the admin page in a browser${why}`, () => {
  let scene: Scene;
  let browser: Browser;
  beforeAll(async () => {
    scene = await startScene();
    browser = await startBrowser(chromium ?? '');
    for (let i = 0; i < 5; i++) await (await askGateway(scene, { stream: i % 2 === 0 })).text();
    await (await askGateway(scene, { model: 'none' })).text();
  });
  afterAll(async () => {
    await browser.close();
    await scene[Symbol.asyncDispose]();
  });

  const row = (page: Page, text: string) => page.locator('.data-table tbody tr', { hasText: text });
  const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });

  it('lets no one in without the token, and says what is wrong with another', async () => {
    await using open = await openAdminPage(browser, scene, { expected: [REFUSED] });
    const { page } = open;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin token').waitFor();
    await signIn(page, 'gwa_wrong');
    await eventually(() => page.locator('.hint.wrong').textContent()).toContain('not the admin token in force');
    expect(await page.getByLabel('Admin token').inputValue()).toBe('');
    expect(await page.locator('.shell').count()).toBe(0);
    // A name is optional; what is typed stands in the audit log.
    const name = page.getByLabel('Your name');
    await name.fill('ann@home');
    await signIn(page, scene.admin.token);
    await eventually(() => page.locator('.hint.wrong').last().textContent()).toContain('none of : @ /');
    await name.fill('Ann B.');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.shell').waitFor();
    const { data } = (await scene.admin.script('GET', '/admin/api/audit?action=session.create&limit=1')).json as {
      data: { sentence: string }[];
    };
    expect(data[0]?.sentence).toMatch(/^Operator Ann B\. .*signed in to the admin page\.$/);
    await page.reload();
    await page.locator('.shell').waitFor();
    expect(open.faults).toEqual([]);
  });

  it('shows the overview live', async () => {
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    await page.getByText('Live', { exact: true }).waitFor();
    const requests = page.locator('.stat', { hasText: 'Requests, last hour' }).locator('.stat-value');
    await eventually(() => requests.textContent()).toBe('6');
    await (await askGateway(scene, {})).text();
    await eventually(() => requests.textContent()).toBe('7');
    expect(await page.locator('.rows li').allTextContents()).toEqual([
      expect.stringMatching(/^studio.*healthy$/),
      expect.stringMatching(/^rack.*healthy$/),
    ]);
    expect(await page.locator('.u-wrap').count()).toBe(2);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(open.faults).toEqual([]);
  });

  it('makes a key whose secret works and is shown once, limits it, rotates it, disables and revokes it', async () => {
    await using open = await openAdminPage(browser, scene, { expected: [REFUSED] });
    const { page } = open;
    await open.go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await page.locator('.hint.wrong').allTextContents()).toEqual(['This is needed.']);
    await page.getByLabel('Name', { exact: true }).fill('Nightly batch');
    await page.getByRole('radio', { name: 'Only these' }).check();
    await page.getByRole('checkbox', { name: 'second' }).check();
    await page.getByLabel('Requests a minute').fill('5');
    await page.getByRole('button', { name: 'Add a budget' }).click();
    await page.getByLabel('Amount').fill('1000');
    // Enter in a field sends the form.
    await page.getByLabel('Amount').press('Enter');
    const once = dialog(page, 'The secret of Nightly batch');
    const secret = (await once.locator('.copy-text').first().textContent()) ?? '';
    expect(secret).toMatch(/^gwk_\w{20,}/);
    expect(await once.locator('.copy-text').last().textContent()).toContain(
      `curl http://${scene.admin.started.url.slice(7)}`,
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await once.isVisible()).toBe(true);
    const ask = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await askGateway({ ...scene, key: { ...scene.key, headers } }, { model: 'second' })).status;
    };
    expect(await ask(secret)).toBe(200);
    await once.getByRole('button', { name: 'I have kept it' }).click();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Nightly batch' }).click();
    const details = dialog(page, 'Nightly batch');
    await eventually(() => details.locator('.meter-row', { hasText: 'Requests a minute' }).textContent()).toContain(
      '1 of 5',
    );
    await details.getByRole('button', { name: 'Rotate' }).click();
    await dialog(page, 'Rotate Nightly batch').getByLabel('The secret before works for').selectOption('no longer');
    expect(await dialog(page, 'Rotate Nightly batch').textContent()).toContain(
      'Every older secret of this key ends at once',
    );
    await dialog(page, 'Rotate Nightly batch').getByRole('button', { name: 'Rotate' }).click();
    const next = (await once.locator('.copy-text').first().textContent()) ?? '';
    expect([await ask(next), await ask(secret)]).toEqual([200, 401]);
    await once.getByRole('button', { name: 'I have kept it' }).click();
    await details.getByRole('button', { name: 'Disable' }).click();
    await dialog(page, 'Disable Nightly batch?').getByRole('button', { name: 'Disable' }).click();
    await details.getByRole('button', { name: 'Enable' }).waitFor();
    expect(await ask(next)).toBe(401);
    await details.getByRole('button', { name: 'Enable' }).click();
    await details.getByRole('button', { name: 'Disable' }).waitFor();
    await details.getByRole('button', { name: 'Revoke' }).click();
    await dialog(page, /^Revoke Nightly batch/)
      .getByRole('button', { name: 'Revoke' })
      .click();
    await eventually(() => details.locator('.badge').first().textContent()).toBe('revoked');
    await page.keyboard.press('Escape');
    await page.getByLabel('Search names, ids and beginnings').fill('nightly');
    await eventually(() => page.getByRole('status').allTextContents()).toContain('1 key');
    expect(await row(page, 'Nightly batch').textContent()).toContain('revoked');
    expect(open.faults).toEqual([]);
  });

  it('tries a model, changes its price in the file, and adds one', async () => {
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    await open.go('/models?open=demo');
    const details = dialog(page, 'demo');
    await details.getByRole('button', { name: 'Send' }).click();
    await eventually(() => details.locator('.facts-list', { hasText: 'Answered by' }).textContent()).toContain(
      'studio / demo',
    );
    expect((await details.locator('.said').textContent())?.length).toBeGreaterThan(0);
    await details.getByRole('button', { name: 'Change' }).click();
    await dialog(page, 'Change demo').getByLabel('A million prompt tokens').fill('0.25');
    await dialog(page, 'Change demo').getByRole('button', { name: 'Save' }).click();
    await eventually(() => details.textContent()).toContain('€0.25 in');
    expect(readFileSync(scene.admin.started.path, 'utf8')).toContain('0.25');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New model' }).click();
    await page.getByLabel('Id', { exact: true }).fill('demo-copy');
    await page.getByLabel('Runtime').selectOption('rack');
    await page.getByLabel('Its name there').fill('demo');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, 'demo-copy').waitFor();
    expect((await askGateway(scene, { model: 'demo-copy' })).status).toBe(200);
    expect(open.faults).toEqual([]);
  });

  it('finds requests by filters, and shows what happened to one', async () => {
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    await open.go('/requests');
    await row(page, 'model_not_found').waitFor();
    const known = ['Time', 'Status', 'Model', 'Runtime', 'Key', 'Tokens in / out'];
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await columnsInSight(page)).toEqual(expect.arrayContaining(known));
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('button', { name: 'More columns' }).waitFor();
    expect(await columnsInSight(page)).toEqual(['Time', 'Status', 'Model']);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Only failed').check();
    await eventually(() => page.locator('.data-table tbody tr').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('404')]),
    );
    await eventually(async () =>
      (await page.locator('.data-table tbody tr').allTextContents()).some((text) => / 200/.test(text)),
    ).toBe(false);
    await page.getByLabel('Only failed').uncheck();
    await page.getByLabel('Model', { exact: true }).selectOption('demo');
    await row(page, 'demo').first().click();
    const steps = page.locator('.timeline li');
    await eventually(() => steps.count()).toBe(4);
    expect((await steps.allTextContents()).join(' ')).toMatch(/Received.*Admitted.*First token.*Ended/);
    expect(open.faults).toEqual([]);
  });

  it('filters, verifies and exports the audit log', async () => {
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    await open.go('/audit');
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await eventually(() => page.locator('.note.good').textContent()).toMatch(/All \d+ entries follow/);
    await page.getByLabel('Action begins with').fill('session');
    await eventually(async () => {
      const sentences = await page.locator('.data-table tbody td:nth-child(2)').allTextContents();
      return (
        sentences.length > 0 &&
        sentences.every((sentence) =>
          /signed in to the admin page|tried to sign in to the admin page|ended .*session/.test(sentence),
        )
      );
    }).toBe(true);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export all' }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      entries: lines.length - 1,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(open.faults).toEqual([]);
  });

  it('draws metrics of a day and of a year, and the actors of the system', async () => {
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    await open.go('/metrics');
    const total = page.locator('.stat', { hasText: 'Requests' }).locator('.stat-value');
    await eventually(async () => Number(await total.textContent())).toBeGreaterThan(5);
    await page.getByRole('radio', { name: '1 y' }).check();
    await eventually(() => page.locator('.u-wrap').count()).toBeGreaterThanOrEqual(5);
    await page.locator('.chart-values summary').first().click();
    await eventually(() => page.locator('.chart-values .plain-table tbody tr').count()).toBe(1);
    await page.locator('.bars').getByRole('link', { name: 'studio' }).waitFor();
    const byKey = page.locator('.card', { hasText: 'By key, ever' });
    const name = (await byKey.getByRole('link').first().textContent()) ?? '';
    await byKey.getByRole('link').first().click();
    await page.getByRole('button', { name: `Key ${name} ✕` }).click();
    await page.getByRole('radio', { name: 'Models' }).check();
    const usage = page.locator('.card', { hasText: 'Tokens and cost' });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      usage.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('usage-by-model.csv');
    const [head = '', ...rows] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split(/\r?\n/);
    expect([head.split(',')[0], rows.some((line) => line.startsWith('demo,'))]).toEqual(['model', true]);
    await open.go('/system');
    const tree = page.locator('.tree tbody');
    await eventually(() => tree.textContent()).toMatch(/gateway.*running/);
    expect(await tree.locator('tr').count()).toBeGreaterThan(4);
    expect(open.faults).toEqual([]);
  });

  it('checks the file as it is typed, shows what changes, saves it, and brings back what was before', async () => {
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    await open.go('/configuration?tab=yaml');
    const editor = page.getByLabel('gateway.yaml', { exact: true });
    const text = await editor.inputValue();
    await editor.fill(`${text}\nno_such_field: 1\n`);
    await eventually(() => page.locator('.editor-problems').textContent()).toContain('no_such_field');
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    // What is typed is kept while another section is looked at.
    await page.getByRole('link', { name: 'Metrics' }).click();
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.getByRole('link', { name: 'YAML' }).click();
    expect(await editor.inputValue()).toContain('no_such_field');
    await editor.fill(`# A comment of the operator.\n${text}`);
    await page.getByText('usable, 1 line added, 0 removed').waitFor();
    await page.keyboard.press('Control+s');
    await dialog(page, 'Save gateway.yaml?').getByRole('button', { name: 'Save' }).click();
    await eventually(() => page.getByText('Saved, and in use.').count()).toBe(1);
    // The form keeps the comment.
    await page.getByRole('link', { name: 'Form' }).click();
    await page.getByLabel('Time for requests at a stop, in seconds').fill('17');
    expect(await page.locator('.field-file-name').allTextContents()).toContain('limits.drain_s');
    await page.getByLabel('Time for requests at a stop, in seconds').press('Enter');
    expect(await page.locator('.diff').textContent()).toContain('drain_s');
    await dialog(page, 'Save gateway.yaml?').getByRole('button', { name: 'Save' }).click();
    const { path } = scene.admin.started;
    await eventually(() => readFileSync(path, 'utf8')).toMatch(/^# A comment of the operator\.[^]*drain_s"?: 17/);
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('.row-open').last().click();
    await page.getByRole('button', { name: 'Restore it' }).click();
    await eventually(() => readFileSync(path, 'utf8')).not.toContain('# A comment of the operator');
    expect(open.faults).toEqual([]);
  });

  it('shows both versions where two browsers change one thing, and loses neither', async () => {
    await using first = await openAdminPage(browser, scene, { expected: [REFUSED] });
    await using second = await openAdminPage(browser, scene, { expected: [REFUSED] });
    const made = await scene.admin.script('POST', '/admin/api/keys', { body: { name: 'Shared' } });
    const { id } = (made.json as { key: { id: string } }).key;
    for (const { page, go } of [first, second]) {
      await go(`/keys?open=${id}`);
      await dialog(page, 'Shared').getByRole('button', { name: 'Change' }).click();
    }
    await second.page.getByLabel('Requests a minute').fill('22');
    await second.page.getByRole('button', { name: 'Save' }).click();
    await eventually(() => dialog(second.page, 'Shared').textContent()).toContain('of 22');
    await first.page.getByLabel('Tokens a minute').fill('333');
    await first.page.getByRole('button', { name: 'Save' }).click();
    const conflict = dialog(first.page, 'Changed by another user');
    await conflict.waitFor();
    expect(await conflict.locator('tbody tr').allTextContents()).toEqual([
      'Requests a minute22no limit',
      'Tokens a minuteno limit333',
    ]);
    await conflict.getByRole('button', { name: 'Save mine over it' }).click();
    await eventually(() => dialog(first.page, 'Shared').textContent()).toContain('of 333');
    const now = await scene.admin.script('GET', `/admin/api/keys/${id}`);
    expect(now.json).toMatchObject({ key: { limits: { requests_per_minute: null, tokens_per_minute: 333 } } });
    // The file: theirs is taken.
    await first.go('/configuration?tab=yaml');
    const editor = first.page.getByLabel('gateway.yaml', { exact: true });
    const text = await editor.inputValue();
    await editor.fill(`# Of the first.\n${text}`);
    await first.page.getByText('usable, 1 line added').waitFor();
    const { etag } = (await scene.admin.script('GET', '/admin/api/config')).json as { etag: string };
    const body = { text: `# Of the second.\n${text}` };
    await scene.admin.script('PUT', '/admin/api/config', { body, headers: { 'if-match': etag } });
    await first.page.keyboard.press('Control+s');
    await first.page.getByRole('button', { name: 'Save', exact: true }).click();
    await conflict.waitFor();
    expect(await conflict.locator('.diff').textContent()).toMatch(/Of the (first|second)[^]*Of the (first|second)/);
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await eventually(() => editor.inputValue()).toContain('# Of the second.');
    expect([first.faults, second.faults]).toEqual([[], []]);
  });

  it('asks to sign in again where the session ended, keeps what was typed, and goes on with it', async () => {
    await using open = await openAdminPage(browser, scene, { expected: [REFUSED] });
    const { page } = open;
    await open.go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Typed before the end');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create key' }).click();
    const again = dialog(page, 'Sign in again');
    await again.waitFor();
    await page.keyboard.press('Escape');
    expect(await again.isVisible()).toBe(true);
    await signIn(page, scene.admin.token);
    await dialog(page, 'The secret of Typed before the end').waitFor();
    expect(open.faults).toEqual([]);
  });

  it('is used by the keyboard alone', async () => {
    await using open = await openAdminPage(browser, scene);
    const { page } = open;
    const focused = (): Promise<unknown> =>
      page.evaluate(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`);
    await page.keyboard.press('Tab');
    await eventually(focused).toBe('To the content');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await eventually(focused).toBe('Virtual keys');
    await page.keyboard.press('Enter');
    await page.locator('.row-open').first().waitFor();
    await page.keyboard.press('Control+k');
    await eventually(focused).toBe('Search names, ids and beginnings');
    await page.locator('.row-open').first().focus();
    const names = await page.locator('.row-open').allTextContents();
    await page.keyboard.press('ArrowDown');
    await eventually(focused).toBe(names[1]);
    await page.keyboard.press('End');
    await eventually(focused).toBe(names.at(-1));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await eventually(focused).toBe(names.at(-1));
    await page.keyboard.press('Control+/');
    await dialog(page, 'Keyboard').waitFor();
    expect(open.faults).toEqual([]);
  });

  it('has no serious finding of axe where an operator begins', async () => {
    await using open = await openAdminPage(browser, scene, { colorScheme: 'dark', reducedMotion: 'reduce' });
    const { page } = open;
    await page.locator('.stat').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await open.go('/keys?open=vk_app');
    await page.locator('.meter').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(open.faults).toEqual([]);
  });
});
