import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileErrorReason, findCacheDirectory, hasErrorCode, toErrorData } from '../../../../base/index.js';
import { sizeText } from '../../../../cli/index.js';
import { openUserStore } from '../../models/open-user-store.js';
import type { Check, CheckGroup } from '../check.js';

/** With less free, no model of any size can be converted. */
const LITTLE_BYTES = 2 * 2 ** 30;

/** The directories of models and caches: whether they can be written, and what is free. */
export const disk: CheckGroup = {
  section: 'Disk',
  async look({ directories }) {
    return [await modelsDirectory(directories), await cacheDirectory(directories.cacheDir)];
  },
};

async function modelsDirectory(directories: Parameters<typeof openUserStore>[0]): Promise<Check> {
  const name = 'models';
  try {
    const { directory } = openUserStore(directories);
    const why = await whyNotWritable(directory);
    const text = `${directory}: ${await freeAt(directory)}`;
    if (why === undefined) return withRoom({ name, state: 'ok', text }, await freeBytes(directory));
    const advice = 'models there can run, and none can be pulled or imported; allow it, or set TROUPE_MODELS';
    return { name, state: 'note', text: `${directory}: ${why}`, advice };
  } catch (error) {
    return { name, state: 'problem', text: toErrorData(error).message };
  }
}

async function cacheDirectory(asked: string | undefined): Promise<Check> {
  const name = 'cache';
  try {
    const directory = await findCacheDirectory(asked);
    return withRoom(
      { name, state: 'ok', text: `${directory}: ${await freeAt(directory)}` },
      await freeBytes(directory),
    );
  } catch (error) {
    const advice = 'set TROUPE_CACHE to a directory that can be written; GGUF files cannot be converted until then';
    return { name, state: 'problem', text: toErrorData(error).message, advice };
  }
}

function withRoom(check: Check, free: number | undefined): Check {
  if (free === undefined || free >= LITTLE_BYTES) return check;
  return { ...check, state: 'note', advice: 'native-engine df shows what takes the room' };
}

/** A missing directory is made at its first use. */
async function whyNotWritable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') && dirname(path) !== path) return whyNotWritable(dirname(path));
    return fileErrorReason(error);
  }
}

async function freeAt(path: string): Promise<string> {
  const free = await freeBytes(path);
  return free === undefined ? 'the free space is unknown' : `${sizeText(free)} free`;
}

async function freeBytes(path: string): Promise<number | undefined> {
  const found = await statfs(path).catch(() => undefined);
  if (found !== undefined) return found.bavail * found.bsize;
  return dirname(path) === path ? undefined : freeBytes(dirname(path));
}
