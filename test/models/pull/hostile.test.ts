// Names and trees of a hub that means harm (S5 of pulls): none leads out of the store, and none is executed or believed.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HubFile } from '../../../src/hub/index.js';
import { chooseFiles, chooseShards } from '../../../src/models/pull/choose-files.js';
import { pathOf } from '../../../src/models/pull/downloads.js';
import type { PlannedFile } from '../../../src/models/pull/file-plan.js';
import { codeOf } from '../../../src/base/index.js';
import { contentOf } from '../../support/hub/repository.js';
import { llama, pullStage } from './support.js';

const hex = 'a'.repeat(64);
const fileOf = (path: string): HubFile => ({ path, sizeBytes: 100, hash: { kind: 'sha256', hex } });

/** Pieces that paths of harm are made of. */
const piece = fc.constantFrom(
  '..',
  '.',
  '',
  '/',
  '//',
  '\\',
  '..\\',
  'C:',
  '\0',
  '%2e%2e',
  '%00',
  '~',
  'con',
  'NUL',
  'aux.gguf',
  'com1',
  'a:b',
  ' ',
  '\n',
  '\u202e',
  '\uff0e\uff0e',
  '\u2215',
  'model',
  'tiny',
  '.gguf',
  'Q4_0',
  '-00001-of-00002',
  '.safetensors',
  'original',
  '.git',
  'manifest.json',
  'config.json',
  'additional_chat_templates',
  'x'.repeat(300),
  '-rf',
  '$(id)',
  '`id`',
  '|',
  '*',
  '?',
  '"',
  "'",
  '<',
  '>',
  'ﬁle',
  'é',
  'e\u0301',
);
const hostilePath = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
const hostileGguf = fc
  .tuple(hostilePath, fc.constantFrom('.gguf', '-00001-of-00001.gguf', '/m.gguf', '/../m.Q4_0.gguf'))
  .map((parts) => parts.join(''));
const directory = resolve('/models/.download-org_name');

/** Whether a file lands in the directory, one folder below it at most, under a name that is one everywhere. */
function isInside(planned: PlannedFile): boolean {
  const path = pathOf(directory, planned);
  const inside = relative(directory, path);
  return (
    !isAbsolute(inside) &&
    /^(?:additional_chat_templates[/\\])?[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(inside) &&
    !inside.includes('..')
  );
}

describe('10,000 hostile trees', () => {
  it('have no file that lands anywhere but in its directory', () => {
    let chosen = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(hostilePath, hostileGguf), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (paths, isCheckpoint) => {
          const more = isCheckpoint ? ['config.json', 'model.safetensors'] : [];
          try {
            const plan = chooseFiles('org/name', [...paths, ...more].map(fileOf), undefined);
            const planned = [...plan.small, ...plan.weights];
            chosen += planned.length;
            return planned.every(isInside);
          } catch (error) {
            return ['pull_no_weights', 'pull_quant_missing'].includes(codeOf(error) ?? '');
          }
        },
      ),
      { numRuns: 10_000 },
    );
    // Or nothing was looked at.
    expect(chosen).toBeGreaterThan(5_000);
  });

  it('and hostile lists of shards have none either', () => {
    fc.assert(
      fc.property(fc.array(hostilePath, { minLength: 1, maxLength: 4 }), (names) => {
        const files = names.map(fileOf);
        const index = { weight_map: Object.fromEntries(names.map((name, i) => [`t${i}`, name])) };
        try {
          return chooseShards('org/name', index, files).every(isInside);
        } catch (error) {
          return codeOf(error) === 'pull_no_weights';
        }
      }),
      { numRuns: 10_000 },
    );
    for (const index of [null, 7, 'x', [], {}, { weight_map: 7 }, { weight_map: { a: 7 } }, { weight_map: {} }]) {
      expect(() => chooseShards('org/name', index, [])).toThrow(expect.objectContaining({ code: 'pull_no_weights' }));
    }
  });
});

describe('a hub that means harm', () => {
  it('writes nothing outside of its directory, whatever its tree, headers and ids are', async () => {
    const paths = [
      '../../escape.gguf',
      '/etc/escape.gguf',
      '..\\escape.gguf',
      'a/../../escape.gguf',
      'con.gguf',
      'tiny.Q4_0.gguf',
    ];
    await using at = await pullStage([{ id: 'org/model', files: new Map(paths.map((path) => [path, llama])) }]);
    at.server.plan = () => ({ headers: { 'content-disposition': 'attachment; filename="../../../escape.gguf"' } });
    const before = new Set(readdirSync(join(at.modelsDir, '..')));
    const { model } = await at.pull('org/model');
    expect(model.name).toBe('org_model');
    expect(readdirSync(at.modelsDir)).toEqual(['org_model']);
    const after = readdirSync(join(at.modelsDir, '..')).filter((name) => !before.has(name) && name.includes('escape'));
    expect(after).toEqual([]);
    expect(existsSync('/etc/escape.gguf')).toBe(false);
  });

  it('that gives a repository another id is asked for no other, and keeps the name that was asked for', async () => {
    await using at = await pullStage([{ id: 'org/model', files: new Map([['tiny.Q4_0.gguf', llama]]) }]);
    const commit = 'b'.repeat(40);
    at.server.api = (request, response) => {
      if (!request.url?.includes('/revision/')) return false;
      response.end(JSON.stringify({ id: '../../evil/x', sha: commit }));
      return true;
    };
    await expect(at.pull('org/model')).rejects.toMatchObject({ code: 'hub_answer_invalid' });
    expect(at.server.seen.every(({ url }) => !url.includes('evil'))).toBe(true);
  });

  it('that lists a file as larger than any disk is refused before anything is fetched', async () => {
    await using at = await pullStage([{ id: 'org/model', files: new Map([['tiny.Q4_0.gguf', llama]]) }]);
    at.server.api = (request, response) => {
      if (!request.url?.includes('/tree/')) return false;
      const lfs = { oid: llama.sha256, size: Number.MAX_SAFE_INTEGER };
      response.end(JSON.stringify([{ type: 'file', path: 'tiny.Q4_0.gguf', size: 1, oid: 'a'.repeat(40), lfs }]));
      return true;
    };
    await expect(at.pull('org/model')).rejects.toMatchObject({ code: 'disk_full' });
    expect(at.server.fileRequests).toBe(0);
  });

  it('finds no way through what lies in the place of its directory', async () => {
    await using at = await pullStage([
      { id: 'org/model', files: new Map([['tiny.Q4_0.gguf', contentOf(llama.read(0, llama.sizeBytes))]]) },
    ]);
    mkdirSync(join(at.modelsDir, 'org_model'));
    writeFileSync(join(at.modelsDir, 'org_model', 'mine'), 'mine');
    await expect(at.pull('org/model')).rejects.toMatchObject({ code: 'name_taken' });
    expect(readdirSync(join(at.modelsDir, 'org_model'))).toEqual(['mine']);
  });
});
