import { lstat, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findCacheDirectory } from '../../../base/index.js';
import { countText, fitTable, openStatusLine, sizeText, type Terminal } from '../../../cli/index.js';
import type { DfOutput } from '../outputs/models.js';

type Place = DfOutput['places'][number];

/** What takes room, and where. Errors: none: what cannot be read counts as nothing. */
export async function measureDisk(
  modelsDir: string,
  cacheDir: string | undefined,
  terminal: Terminal,
): Promise<DfOutput> {
  const cache = await findCacheDirectory(cacheDir).catch(() => undefined);
  using line = openStatusLine(terminal);
  const measure = createMeasure((files) => line.show(0, () => `measuring: ${countText(files)} files`));
  const names = await readdir(modelsDir).catch(() => []);
  const isHidden = (name: string): boolean => name.startsWith('.') || /\.partial-[0-9a-f]{12}$/.test(name);
  const shown = names.filter((name) => !isHidden(name));
  const places: Place[] = [
    { what: 'models', path: modelsDir, ...(await measure(modelsDir, shown)), canBeRemoved: false },
    {
      what: 'half-made models',
      path: modelsDir,
      ...(await measure(modelsDir, names.filter(isHidden))),
      canBeRemoved: true,
    },
  ];
  if (cache !== undefined) {
    const kept = await readdir(cache).catch(() => []);
    const inside = async (what: Place['what'], folder: string): Promise<Place> => {
      const path = join(cache, folder);
      return { what, path, ...(await measure(path, await readdir(path).catch(() => []))), canBeRemoved: true };
    };
    places.push(await inside('converted files', 'models'), await inside('shapes of bench', 'bench'));
    const others = kept.filter((name) => name !== 'models' && name !== 'bench');
    places.push({ what: 'other caches', path: cache, ...(await measure(cache, others)), canBeRemoved: true });
  }
  const disks = await Promise.all([modelsDir, ...(cache === undefined ? [] : [cache])].map(describeDisk));
  return { places, disks: disks.flatMap((disk) => disk ?? []) };
}

/** Counts files once, however many names they have. */
function createMeasure(tell: (files: number) => void) {
  const seen = new Set<string>();
  const bytesAt = async (path: string): Promise<number> => {
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) return 0;
    if (found.isDirectory()) {
      let sum = 0;
      for (const name of await readdir(path).catch(() => [])) sum += await bytesAt(join(path, name));
      return sum;
    }
    const key = `${found.dev}:${found.ino}`;
    if (seen.has(key)) return 0;
    seen.add(key);
    tell(seen.size);
    // A sparse file takes less than its size, as one that is being downloaded.
    return Math.min(found.size, found.blocks * 512 || found.size);
  };
  return async (folder: string, names: readonly string[]): Promise<{ count: number; sizeBytes: number }> => {
    let sizeBytes = 0;
    for (const name of names) sizeBytes += await bytesAt(join(folder, name));
    return { count: names.length, sizeBytes };
  };
}

/** The file system of a directory, or of the nearest one above it that is there. */
async function describeDisk(path: string): Promise<DfOutput['disks'][number] | undefined> {
  for (let at = path; ; at = dirname(at)) {
    const found = await statfs(at).catch(() => undefined);
    if (found !== undefined)
      return { path, freeBytes: found.bavail * found.bsize, totalBytes: found.blocks * found.bsize };
    if (dirname(at) === at) return undefined;
  }
}

/** What people call each place. */
const labels: Readonly<Record<Place['what'], string>> = {
  models: 'models',
  'half-made models': 'unfinished models',
  'converted files': 'converted GGUF files',
  'shapes of bench': 'models made by bench',
  'other caches': 'other caches',
};

/** The same for a person; places with nothing in them are left out. */
export function renderDisk({ places, disks }: DfOutput, width: number | undefined): string {
  const rows = places
    .filter(({ what, count }) => what === 'models' || count > 0)
    .map(({ what, path, count, sizeBytes, canBeRemoved }) => [
      labels[what],
      countText(count),
      sizeText(sizeBytes),
      canBeRemoved ? 'may be removed' : 'keep',
      path,
    ]);
  const table = fitTable(['PLACE', 'ENTRIES', 'SIZE', 'ADVICE', 'PATH'], rows, {
    width,
    rightAligned: [1, 2],
    droppable: [4],
  });
  // Of directories on one file system the first.
  const free = new Map(disks.toReversed().map((disk) => [`${disk.freeBytes} ${disk.totalBytes}`, disk]));
  const lines = [...free.values()].map(
    ({ path, freeBytes, totalBytes }) => `${sizeText(freeBytes)} of ${sizeText(totalBytes)} free at ${path}\n`,
  );
  return `${table}\n${lines.join('')}`;
}
