import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { AppError, nearestOf } from '../../base/index.js';
import { listModels, parseModelId, publicId, readOrigin, whyNotListed } from '../../store/index.js';

/** Names that a message suggests for a missing one. */
const MAX_NAMES = 3;

/** `artifact_not_found` for an input: where it was searched, and suggestions. `as`: `name` if it cannot be a path. */
export async function notFound(model: string, modelsDir: string | undefined, as?: 'name'): Promise<AppError> {
  const isPath = as !== 'name' && (isAbsolute(model) || /[/\\]/.test(model));
  const near = await nearNames(model, isPath, modelsDir);
  const meant = near.length === 0 ? '' : `. Did you mean ${near.join(' or ')}?`;
  const why = as === 'name' ? await whyNoName(model, modelsDir) : await whyNot(model, isPath, modelsDir);
  const message = `${why}${meant}`;
  return new AppError('artifact_not_found', message, { model });
}

async function whyNoName(model: string, modelsDir: string | undefined): Promise<string> {
  const why = modelsDir === undefined ? undefined : await whyNotListed(modelsDir);
  const where = modelsDir ?? 'any models directory';
  return `there is no model ${JSON.stringify(model)} in ${where}${why === undefined ? '' : `, which cannot be listed: ${why}`}`;
}

async function whyNot(model: string, isPath: boolean, modelsDir: string | undefined): Promise<string> {
  const isLink = await lstat(model).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  if (isLink) return `there is no model at ${model}: it is a link to a missing file`;
  if (isPath) return `there is no model ${model}: no file and no directory is at this path`;
  const why = modelsDir === undefined ? undefined : await whyNotListed(modelsDir);
  const store =
    modelsDir === undefined
      ? 'there is no models directory, since there is no home (pass --models-dir, or `modelsDir` in the library)'
      : `none in the models directory ${modelsDir}${why === undefined ? '' : `, which cannot be listed: ${why}`}`;
  return `there is no model ${JSON.stringify(model)}: no file or directory of that name is here, and ${store}`;
}

/** Names in the models directory, and beside a path that was typed, that are nearly the one that is not there. */
async function nearNames(model: string, isPath: boolean, modelsDir: string | undefined): Promise<string[]> {
  const stored = modelsDir === undefined ? [] : await listModels(modelsDir).catch(() => []);
  const names = new Map([['demo', 'demo']]);
  // A model of a repository is suggested by its id.
  for (const { name, path, isFile } of stored) names.set(name, isFile ? name : publicId(name, await readOrigin(path)));
  if (isPath) {
    const folder = dirname(model);
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory() || /\.gguf$/i.test(entry.name)) names.set(entry.name, join(folder, entry.name));
    }
  }
  // The typed name is missing, even if a link of that name exists.
  names.delete(basename(model));
  const candidates = new Map([...names].map(([name, shown]) => [withoutExtension(name), shown]));
  // A repository's id lies in a models directory with an underscore.
  const plain = parseModelId(model)?.name ?? model;
  const words = new Set([basename(model), model.replaceAll('/', '_'), plain.replaceAll('/', '_')]);
  const near = [...words].flatMap((word) => nearestOf(withoutExtension(word), [...candidates.keys()], MAX_NAMES));
  return [...new Set(near)].slice(0, MAX_NAMES).map((name) => candidates.get(name) ?? name);
}

function withoutExtension(name: string): string {
  return name.toLowerCase().replace(/\.gguf$/, '');
}
