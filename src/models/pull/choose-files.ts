/**
 * Which files of a repository a pull takes: only data with known names. Never `.bin` and `.pth`, whose format runs code, nor
 * `original/`, nor code, nor a file whose name is not plain.
 */
import { AppError } from '../../base/index.js';
import type { HubFile } from '../../hub/index.js';
import { quantNames, type QuantName } from '../../weights/index.js';
import { chooseGguf, hasQuant, listCandidates, type FitsMemory } from './choose-gguf.js';
import { isPlainName, type FilePlan, type PlannedFile } from './file-plan.js';

/**
 * The files that conversion reads beside the weights, with their size limits. Source: convert/huggingface/checkpoint-files.ts.
 */
const SMALL: ReadonlyMap<string, number> = new Map([
  ['config.json', 32 << 20],
  ['generation_config.json', 32 << 20],
  ['tokenizer.json', 256 << 20],
  ['tokenizer.model', 256 << 20],
  ['tokenizer_config.json', 32 << 20],
  ['special_tokens_map.json', 32 << 20],
  ['chat_template.jinja', 32 << 20],
  ['chat_template.json', 32 << 20],
]);
const INDEX = 'model.safetensors.index.json';
const SINGLE = 'model.safetensors';
const TEMPLATES = 'additional_chat_templates';
const MAX_TEMPLATES = 64;
const MAX_TEMPLATE_BYTES = 32 << 20;

/**
 * Chooses files of the tree `files`. `asked`: a quant of a GGUF file, or, of a safetensors repository, one to convert to. `fits`:
 * which quants the default choice may take; default: all. Errors: `pull_no_weights`, `pull_quant_missing`.
 */
export function chooseFiles(
  repo: string,
  files: readonly HubFile[],
  asked: string | undefined,
  fits?: FitsMemory,
): FilePlan {
  const candidates = listCandidates(repo, files);
  const target = asked === undefined ? undefined : toQuantName(asked);
  const hasSafetensors = files.some(({ path }) => path === SINGLE || path === INDEX);
  const isForConversion =
    candidates.length === 0 || (hasSafetensors && target !== undefined && !hasQuant(candidates, asked ?? ''));
  if (!isForConversion) return chooseGguf(repo, candidates, asked, fits);
  if (!hasSafetensors) throw noWeights(repo, files);
  if (asked !== undefined && target === undefined) {
    const message = `${repo} has safetensors, which can be converted to ${quantNames.join(', ')}; ${asked} is none of these`;
    throw new AppError('pull_quant_missing', message, { repo, quant: asked });
  }
  return chooseSafetensors(repo, files, target);
}

function toQuantName(text: string): QuantName | undefined {
  return quantNames.find((name) => name === text.toLowerCase());
}

function chooseSafetensors(repo: string, files: readonly HubFile[], quant: QuantName | undefined): FilePlan {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const hasTokenizer = byPath.has('tokenizer.json');
  const small: PlannedFile[] = [];
  for (const [name, limitBytes] of SMALL) {
    const file = byPath.get(name);
    // Where both files exist they hold the same vocabulary.
    if (file === undefined || (name === 'tokenizer.model' && hasTokenizer)) continue;
    if (file.sizeBytes > limitBytes) throw tooLarge(repo, name, file.sizeBytes, limitBytes);
    small.push({ file, name });
  }
  if (!byPath.has('config.json')) {
    throw new AppError(
      'pull_no_weights',
      `${repo} has safetensors and no config.json, without which they are no model`,
      { repo },
    );
  }
  const templates = files.filter(({ path, sizeBytes }) => isTemplate(path) && sizeBytes <= MAX_TEMPLATE_BYTES);
  for (const file of templates.slice(0, MAX_TEMPLATES)) {
    small.push({ file, name: file.path.slice(TEMPLATES.length + 1), folder: TEMPLATES });
  }
  const index = byPath.get(INDEX);
  const single = byPath.get(SINGLE);
  if (index !== undefined && index.sizeBytes > 32 << 20) throw tooLarge(repo, INDEX, index.sizeBytes, 32 << 20);
  return {
    format: 'safetensors',
    quant,
    small,
    index: index && { file: index, name: INDEX },
    weights: index === undefined && single !== undefined ? [{ file: single, name: SINGLE }] : [],
  };
}

function isTemplate(path: string): boolean {
  const name = path.startsWith(`${TEMPLATES}/`) ? path.slice(TEMPLATES.length + 1) : '';
  return name.endsWith('.jinja') && isPlainName(name);
}

/** The files that the index names, in its order of names. Errors: `pull_no_weights`. */
export function chooseShards(repo: string, index: unknown, files: readonly HubFile[]): PlannedFile[] {
  const map: unknown = typeof index === 'object' && index !== null ? Reflect.get(index, 'weight_map') : undefined;
  const names = typeof map === 'object' && map !== null ? [...new Set(Object.values(map))] : [];
  const shards = names.map((name: unknown) => {
    const file = typeof name === 'string' ? files.find(({ path }) => path === name) : undefined;
    if (file === undefined || !isPlainName(file.path) || !file.path.endsWith('.safetensors')) {
      throw new AppError('pull_no_weights', `${repo} lacks a file of weights that its ${INDEX} names`, { repo });
    }
    return { file, name: file.path };
  });
  if (shards.length > 0) return shards.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  throw new AppError('pull_no_weights', `${INDEX} of ${repo} names no files`, { repo });
}

function tooLarge(repo: string, name: string, sizeBytes: number, limitBytes: number): AppError {
  const message = `${name} of ${repo} has ${sizeBytes} bytes; the limit is ${limitBytes}`;
  return new AppError('pull_no_weights', message, { repo, limit: limitBytes });
}

function noWeights(repo: string, files: readonly HubFile[]): AppError {
  const isPickled = files.some(({ path }) => /\.(?:bin|pth|pt)$/.test(path));
  const why = isPickled
    ? 'weights in .bin or .pth files only, which run code when they are read; look for a conversion of it'
    : 'neither GGUF files nor model.safetensors; look for a repository with one of them (native-engine search)';
  return new AppError('pull_no_weights', `${repo} has ${why}`, { repo });
}
