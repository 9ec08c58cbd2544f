// Earlier texts of gateway.yaml: every rewrite leaves `FILE.bak-TIME` beside it.
import { lstat, readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { throwFileError } from '../../../base/index.js';
import { readGatewayText } from '../../config/index.js';
import { unknownResource } from '../admin-route.js';

/** Versions that are listed, and that the admin page leaves when it saves another. */
export const MAX_VERSIONS = 100;

/** `20271231T235959Z`, and a number where several were saved within a second. */
const ID = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z(?:-(\d{1,2}))?$/;

/** An earlier text of the file. */
export interface ConfigVersion {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly savedAtMs: number;
  readonly sizeBytes: number;
}

/** The versions beside the file at `path`, the newest first. Errors: those of the system. */
export async function listVersions(path: string): Promise<readonly ConfigVersion[]> {
  const found = await findVersions(path);
  const sized = found.slice(0, MAX_VERSIONS).map(async ({ id, savedAtMs, file }) => {
    const stat = await lstat(file).catch(() => undefined);
    return stat?.isFile() === true ? [{ id, savedAtMs, sizeBytes: stat.size }] : [];
  });
  return (await Promise.all(sized)).flat();
}

/** The text of a version. Errors: `resource_unknown`, those of reading. */
export async function readVersion(path: string, id: string): Promise<ConfigVersion & { readonly text: string }> {
  // By the list and not by a path that is made of the id.
  const version = (await listVersions(path)).find((each) => each.id === id);
  if (version === undefined) throw unknownResource('version', id, 'GET /admin/api/config/versions');
  const { text } = await readGatewayText(`${await realOf(path)}.bak-${version.id}`);
  return { ...version, text };
}

/** Removes the oldest versions beyond `MAX_VERSIONS`. Versions that cannot be removed stay. */
export async function pruneVersions(path: string): Promise<void> {
  const found = await findVersions(path).catch(() => []);
  await Promise.all(found.slice(MAX_VERSIONS).map(({ file }) => rm(file, { force: true }).catch(() => {})));
}

async function findVersions(path: string) {
  const real = await realOf(path);
  const directory = dirname(real);
  const start = `${basename(real)}.bak-`;
  const names = await readdir(directory).catch(throwFileError('read', directory));
  return names
    .flatMap((name) => {
      const id = name.startsWith(start) ? name.slice(start.length) : '';
      const savedAtMs = toTime(id);
      return savedAtMs === undefined ? [] : [{ id, savedAtMs, file: join(directory, name), number: numberOf(id) }];
    })
    .toSorted((a, b) => b.savedAtMs - a.savedAtMs || b.number - a.number);
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function toTime(id: string): number | undefined {
  const [, year, month, day, hour, minute, second] = ID.exec(id) ?? [];
  if (year === undefined) return undefined;
  const unixMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isFinite(unixMs) ? unixMs : undefined;
}

function numberOf(id: string): number {
  return Number(ID.exec(id)?.[7] ?? 1);
}
