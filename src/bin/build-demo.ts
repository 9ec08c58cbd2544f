// Converts the checkpoint in assets/demo into dist/demo when that is absent or stale. Part of `npm run build`.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FORMAT_VERSION, openArtifact, PACKING_VERSION } from '../artifact/index.js';
import { toErrorData } from '../base/index.js';
import { convertCheckpoint } from '../convert/index.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const source = join(root, 'assets', 'demo');
const out = join(root, 'dist', 'demo');
// Beside the artifact: a directory with an unlisted file in it is refused.
const stampFile = join(root, 'dist', 'demo.stamp');
// The modules whose code decides what the artifact looks like.
const rooms = ['artifact', 'convert', 'model', 'tokenizer', 'weights'];

/** Changes when the checkpoint, a version, or the code that converts does. */
async function makeStamp(): Promise<string> {
  const hash = createHash('sha256').update(`${FORMAT_VERSION} ${PACKING_VERSION} q8\n`);
  await addFiles(hash, source, '');
  for (const room of rooms) await addFiles(hash, join(root, 'dist', 'src', room), '.js');
  return hash.digest('hex');
}

async function addFiles(hash: ReturnType<typeof createHash>, directory: string, extension: string): Promise<void> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = names.filter((entry) => entry.isFile() && entry.name.endsWith(extension));
  for (const path of paths.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    hash.update(`${path.slice(root.length)}\n`).update(await readFile(path));
  }
}

async function isWhole(): Promise<boolean> {
  try {
    await using artifact = await openArtifact(out);
    await artifact.verifyWeights();
    return true;
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  const stamp = await makeStamp();
  const found = await readFile(stampFile, 'utf8').catch(() => '');
  if (found === stamp && (await isWhole())) return;
  await rm(out, { recursive: true, force: true });
  await convertCheckpoint({ source, out, quant: 'q8', id: 'demo' });
  await writeFile(stampFile, stamp);
}

try {
  await main();
} catch (error) {
  const { code, message } = toErrorData(error);
  process.stderr.write(`build-demo: ${message} (${code})\n`);
  process.exitCode = 1;
}
