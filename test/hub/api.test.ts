import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles, modelInfo, downloadFile } from '@huggingface/hub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHub, readHubSettings, type Hub } from '../../src/hub/index.js';
import { commitOf, contentOf } from '../support/hub/repository.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';
import { steppingClock } from '../support/hub/stepping-clock.js';

const weights = contentOf(Buffer.alloc(3 << 20, 'weights'));
const repository = {
  id: 'org/model',
  license: 'apache-2.0',
  files: new Map([
    ['config.json', contentOf('{"model_type":"qwen3"}')],
    ['model.safetensors', weights],
    ['README.md', contentOf('# A model')],
  ]),
};

let hub: TestHub;
let directory: string;
beforeAll(async () => {
  hub = await startHub([
    repository,
    { ...repository, id: 'org/gated', gated: true },
    { ...repository, id: 'org/private', isPrivate: true },
    { ...repository, id: 'old/name', movedTo: 'org/model' },
  ]);
  directory = await mkdtemp(join(tmpdir(), 'hub-'));
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const open = async (env: Record<string, string> = {}): Promise<Hub> =>
  openHub(await readHubSettings({ HF_ENDPOINT: hub.url, HF_TOKEN_PATH: join(directory, 'none'), ...env }), {
    clock: steppingClock(),
  });

describe('the hub of the tests', () => {
  it('is one for @huggingface/hub', async () => {
    const info = await modelInfo({ name: 'org/model', hubUrl: hub.url });
    expect(info).toMatchObject({ name: 'org/model', gated: false, private: false });
    const files = [];
    hub.pageItems = 2;
    for await (const file of listFiles({ repo: 'org/model', recursive: true, hubUrl: hub.url })) files.push(file.path);
    hub.pageItems = 1_000;
    expect(files).toEqual([...repository.files.keys()]);
    const blob = await downloadFile({ repo: 'org/model', path: 'model.safetensors', hubUrl: hub.url });
    const bytes = Buffer.from(await (blob?.arrayBuffer() ?? expect.fail('a file')));
    expect(contentOf(bytes).sha256).toBe(weights.sha256);
    await expect(modelInfo({ name: 'org/none', hubUrl: hub.url })).rejects.toMatchObject({ statusCode: 401 });
  });
});

describe('the API', () => {
  it('tells a model at its commit, with its licence', async () => {
    await using asked = await open();
    const model = await asked.describe('org/model', undefined);
    expect(model).toEqual({ repo: 'org/model', commit: commitOf(repository), isGated: false, license: 'apache-2.0' });
    expect(await asked.describe('org/model', model.commit)).toEqual(model);
  });

  it('lists the files of a tree over all its pages', async () => {
    await using asked = await open();
    const whole = await asked.listFiles('org/model', commitOf(repository));
    hub.pageItems = 1;
    expect(await asked.listFiles('org/model', commitOf(repository))).toEqual(whole);
    hub.pageItems = 1_000;
    expect(whole).toContainEqual({
      path: 'model.safetensors',
      sizeBytes: 3 << 20,
      hash: { kind: 'sha256', hex: weights.sha256 },
    });
    expect(whole).toContainEqual(
      expect.objectContaining({
        path: 'config.json',
        hash: { kind: 'git-blob', hex: repository.files.get('config.json')?.oid },
      }),
    );
  });

  it('follows a repository that moved', async () => {
    await using asked = await open();
    expect((await asked.describe('old/name', undefined)).repo).toBe('org/model');
  });

  it('searches', async () => {
    await using asked = await open();
    const found = await asked.search('gat', 5);
    expect(found).toEqual([expect.objectContaining({ repo: 'org/gated', isGated: true, downloads: 12 })]);
  });

  it.each([
    ['org/none', {}, 'hub_repository_missing', /HF_TOKEN/],
    ['org/private', {}, 'hub_repository_missing', /private/],
    ['org/model', { HF_TOKEN: 'hf_wrong' }, 'hub_token_refused', /HF_TOKEN/],
    ['org/model', { HF_HUB_OFFLINE: '1' }, 'hub_offline', /HF_HUB_OFFLINE/],
  ])('refuses %s with %o: %s', async (repo, env, code, words) => {
    await using asked = await open(env);
    const error: unknown = await asked.describe(repo, undefined).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
    expect(JSON.stringify(error)).not.toContain('hf_wrong');
  });

  it('names a revision that is not there', async () => {
    await using asked = await open();
    await expect(asked.describe('org/model', 'v9')).rejects.toMatchObject({
      code: 'hub_revision_missing',
      message: expect.stringContaining('"v9"'),
    });
  });

  it('reads the token of a file, and shows it to the hub alone', async () => {
    await writeFile(join(directory, 'token'), `${hub.token}\n`);
    await using asked = await open({ HF_TOKEN_PATH: join(directory, 'token') });
    expect((await asked.describe('org/private', undefined)).repo).toBe('org/private');
    hub.seen.length = 0;
    const [file] = (await asked.listFiles('org/gated', commitOf({ ...repository, id: 'org/gated' }))).filter(
      ({ path }) => path === 'model.safetensors',
    );
    const download = await asked.fetchFile({
      repo: 'org/gated',
      commit: commitOf({ ...repository, id: 'org/gated' }),
      file: file ?? expect.fail('a file'),
      path: join(directory, 'weights'),
      signal: new AbortController().signal,
    });
    await download.done;
    expect(contentOf(await readFile(join(directory, 'weights'))).sha256).toBe(weights.sha256);
    const atStorage = hub.seen.filter(({ server }) => server === 'storage');
    expect(atStorage.length).toBeGreaterThan(0);
    expect(atStorage.every(({ authorization }) => authorization === undefined)).toBe(true);
    expect(
      hub.seen
        .filter(({ server }) => server === 'hub')
        .every(({ authorization }) => authorization === `Bearer ${hub.token}`),
    ).toBe(true);
  });

  it('waits as long as a hub that throttles asks, and tells why', async () => {
    await using asked = await open();
    let refusals = 2;
    hub.api = (_, response) => {
      if (refusals-- <= 0) return false;
      response.writeHead(429, { ratelimit: '"api";r=0;t=42' }).end();
      return true;
    };
    const retries: unknown[] = [];
    await asked.describe('org/model', undefined, { onRetry: (retry) => retries.push(retry) });
    hub.api = () => false;
    expect(retries).toEqual([
      { reason: 'asked too often', attempt: 2, waitMs: 42_000 },
      { reason: 'asked too often', attempt: 3, waitMs: 42_000 },
    ]);
  });

  it('gives up where it asks to wait longer than anybody does', async () => {
    await using asked = await open();
    hub.api = (_, response) => {
      response.writeHead(429, { 'retry-after': '7200' }).end();
      return true;
    };
    await expect(asked.describe('org/model', undefined)).rejects.toMatchObject({
      code: 'hub_throttled',
      message: expect.stringContaining('7200 s'),
    });
    hub.api = () => false;
  });

  it('waits before the next request where the hub says that no more are allowed', async () => {
    const clock = steppingClock();
    await using asked = openHub(await readHubSettings({ HF_ENDPOINT: hub.url }), { clock });
    hub.api = (_, response) => {
      response.setHeader('ratelimit', '"api";r=0;t=17');
      return false;
    };
    await asked.describe('org/model', undefined);
    const before = clock.nowMs();
    await asked.describe('org/model', undefined);
    hub.api = () => false;
    expect(clock.nowMs() - before).toBeGreaterThan(16_000);
  });

  it.each([
    ['no JSON', '<html>'],
    ['a text', '"sha"'],
    ['no commit', '{"id":"org/model"}'],
    ['a commit that is a path', '{"id":"org/model","sha":"../../etc"}'],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('refuses %s for a model', async (_, body) => {
    await using asked = await open();
    hub.api = (_request, response) => {
      response.end(body);
      return true;
    };
    await expect(asked.describe('org/model', undefined)).rejects.toMatchObject({ code: 'hub_answer_invalid' });
    hub.api = () => false;
  });

  it('follows no page to another origin, and no endless list of them', async () => {
    await using asked = await open();
    hub.api = (_, response) => {
      response.setHeader('link', `<${hub.storageUrl}/next>; rel="next"`);
      response.end('[]');
      return true;
    };
    await expect(asked.listFiles('org/model', 'a'.repeat(40))).rejects.toMatchObject({ code: 'hub_answer_invalid' });
    hub.api = (request, response) => {
      response.setHeader('link', `<${request.url}>; rel="next"`);
      response.end('[]');
      return true;
    };
    await expect(asked.listFiles('org/model', 'a'.repeat(40))).rejects.toMatchObject({ code: 'hub_answer_invalid' });
    hub.api = () => false;
  });
});
