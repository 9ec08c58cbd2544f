// Valid names of models, and their directories. Names come from requests and hubs: a name is checked here before it
// becomes a path.
import { AppError } from '../base/index.js';
import { readPartName, toQuantLabel } from '../weights/index.js';

/** The model of the package; a model of a models directory cannot have this name. */
export const DEMO = 'demo';

/** Characters of an organisation, of a name, and of a quant. A hub has up to 96 for the first two. */
const MAX_PART = 96;
const MAX_QUANT = 48;
/** Bytes of a file's name on most systems, less the longest suffix: `.partial-` with its digits, `.lock`. */
const MAX_DIRECTORY = 200;

/** A part of a repository's id. Source: huggingface_hub, utils/_validators.py, REPO_ID_REGEX; ASCII only. */
const PART = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?$/;
const QUANT = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
/** Names of devices, which a file must not have on Windows, whatever its extension. Source: Microsoft, Naming Files. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)$/i;
/** The prefix of an id that a user copied from a page of a hub. */
const HUB = /^(?:https:\/\/)?(?:hf\.co|huggingface\.co)\//i;
/** Names of conversions, their locks, and artifacts of GGUF files: they lie beside the models. */
const INTERNAL = /^\.|\.partial-[0-9a-f]{12}$|\.lock$|^gguf-[0-9a-f]{64}-/i;

/** Reserved names, of files beside models. */
export function isInternal(name: string): boolean {
  return INTERNAL.test(name);
}

/** A parsed name: `org/name`, `org/name:quant`, `org/name@revision`, `name`, `name:tag`. */
export interface ModelId {
  /** `org/name`; undefined for a name without a slash. */
  readonly repo: string | undefined;
  /** Without tag and revision, unchanged. */
  readonly name: string;
  /** A quant, in upper case; undefined where nothing, or `latest`, is asked for. */
  readonly quant: string | undefined;
  /** Of a repository: a branch, a tag or a commit. */
  readonly revision: string | undefined;
}

/** Reads an id from a user or a client. Undefined if it cannot name a model of a store. */
export function parseModelId(id: string): ModelId | undefined {
  // Of the longest id each part has its limit.
  if (id.length > 4 * MAX_PART + MAX_QUANT) return undefined;
  const [, path = '', revision, tag] = /^([^@:]+)(?:@([\w./-]+))?(?::([\w.-]+))?$/.exec(id.replace(HUB, '')) ?? [];
  const parts = path.split('/');
  if (parts.length > 2 || !parts.every(isPart)) return undefined;
  const quant = tag === undefined || tag.toLowerCase() === 'latest' ? undefined : toQuantLabel(tag);
  if (quant !== undefined && !isQuant(quant)) return undefined;
  const repo = parts.length === 2 ? path : undefined;
  return { repo, name: path, quant, revision };
}

/** The id that `parseModelId` reads as these parts. */
export function formatModelId({ repo, quant, revision }: Pick<ModelId, 'repo' | 'quant' | 'revision'>): string {
  return `${repo}${revision === undefined ? '' : `@${revision}`}${quant === undefined ? '' : `:${quant}`}`;
}

/** Whether `text` is the id of a repository of a hub, `org/name`, and nothing else. */
export function isRepoId(text: string): boolean {
  const parts = text.split('/');
  return parts.length === 2 && parts.every(isPart);
}

/**
 * The name of the directory of a model: `org_name`, and `org_name@QUANT` for a quant that was asked for.
 * Errors: `name_invalid`.
 */
export function directoryNameOf(name: string, quant?: string): string {
  const parts = name.split('/');
  const bad = parts.find((part) => !isPart(part));
  if (parts.length > 2) throw invalid(name, 'it has more than one slash');
  if (bad !== undefined) throw invalid(name, whyNoPart(bad));
  if (quant !== undefined && !isQuant(quant)) {
    const rule = `letters, digits, ".", "_" and "-", at most ${MAX_QUANT}`;
    throw invalid(name, `its quant ${show(quant)} is none: it may have ${rule}`);
  }
  const directory = parts.join('_') + (quant === undefined ? '' : `@${quant.toUpperCase()}`);
  const why = whyNoDirectory(directory);
  if (why !== undefined) throw invalid(name, why);
  return directory;
}

/** Of a name that has the characters of one, why it can be none on every system. */
function whyNoDirectory(directory: string): string | undefined {
  if (directory.length > MAX_DIRECTORY) return `it has ${directory.length} characters; the limit is ${MAX_DIRECTORY}`;
  if (DEVICE.test(directory.split(/[.@]/, 1)[0] ?? '')) return 'it is the name of a device on Windows';
  if (isInternal(directory)) return 'such names are reserved for files beside models';
  if ((readPartName(directory)?.number ?? 1) !== 1) return 'it is the name of a part of a GGUF file';
  return directory.toLowerCase() === DEMO ? 'the model that comes with the package has it' : undefined;
}

function isPart(part: string): boolean {
  return part.length <= MAX_PART && PART.test(part) && !part.includes('..') && !part.includes('--');
}

function isQuant(quant: string): boolean {
  return quant.length <= MAX_QUANT && QUANT.test(quant) && !quant.includes('..') && quant.toLowerCase() !== 'latest';
}

function whyNoPart(part: string): string {
  if (part === '') return 'a part of it is empty';
  if (part.length > MAX_PART) return `a part of it has ${part.length} characters; the limit is ${MAX_PART}`;
  return 'it may have letters, digits, "_", "-" and ".", with no "-" or "." at either end, and no ".." or "--"';
}

function invalid(name: string, why: string): AppError {
  return new AppError('name_invalid', `${show(name)} cannot be the name of a model: ${why}`);
}

/** A name for a message; of one that is long, or has invalid characters, only its length. */
function show(name: string): string {
  return /^[\w.@:/-]{1,96}$/.test(name) ? `"${name}"` : `a name of ${name.length} characters`;
}
