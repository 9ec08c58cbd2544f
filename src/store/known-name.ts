import { nearest, nearestOf } from '../base/index.js';
import { readQuantLabel, toQuantLabel } from '../weights/index.js';
import { knownModels, type KnownTag } from './known-models.js';

/** The repository that a short name means, and the quant where one is written: `llama3.2:1b-instruct-q8_0`. */
export interface KnownRepository {
  readonly repo: string;
  readonly quant: string | undefined;
}

/** Before a name that is copied from Ollama. */
const LIBRARY = /^(?:https:\/\/)?(?:(?:registry\.)?ollama\.(?:com|ai)\/)?(?:library\/)?/i;
/** Words of tags that hold for every model of the table: it follows instructions. */
const USUAL: ReadonlySet<string> = new Set(['instruct', 'it', 'chat', 'latest']);
const MAX_NAME = 128;
/** Tags that a message lists. */
const MAX_TAGS = 8;

/** The repository of a name that people type from habit: `llama3.2`, `smollm2:135m`. Undefined: none that is known. */
export function readKnownName(id: string): KnownRepository | undefined {
  const { name, tag } = split(id);
  const tags = tagsOf(name);
  if (tags === undefined) return undefined;
  const [usual] = tags;
  if (tag === undefined || tag === 'latest') return usual && { repo: usual[1], quant: undefined };
  const label = readQuantLabel(tag);
  const words = withoutQuant(tag, label).filter((word) => !USUAL.has(word));
  const quant = label === undefined ? undefined : toQuantLabel(label);
  if (words.length === 0) return usual && { repo: usual[1], quant };
  const [size] = words;
  const found = words.length === 1 ? tags.find(([each]) => each === size) : undefined;
  return found && { repo: found[1], quant };
}

/**
 * Suggestions for an unknown short name, as a part of a message; undefined if the name is known, or no name is near.
 */
export function suggestKnownName(id: string): string | undefined {
  const { name, tag } = split(id);
  const tags = tagsOf(name);
  if (readKnownName(id) !== undefined) return undefined;
  if (tags !== undefined) {
    const all = tags.slice(0, MAX_TAGS).map(([each]) => `${name}:${each}`);
    return `${name} is known as ${all.join(', ')}`;
  }
  if (name.includes('/') || name === '') return undefined;
  const names = Object.keys(knownModels);
  const near = nearestOf(name, names, 3);
  const closest = near.length > 0 ? near : [nearest(fold(name), names.map(fold))].flatMap((each) => byFold(each) ?? []);
  if (closest.length === 0) return undefined;
  const shown = closest.map((each) =>
    tagsOf(each)?.some(([known]) => known === tag) === true ? `${each}:${tag}` : each,
  );
  return `did you mean ${shown.join(' or ')}?`;
}

function split(id: string): { readonly name: string; readonly tag: string | undefined } {
  if (id.length > MAX_NAME) return { name: '', tag: undefined };
  const [name = '', tag] = id.replace(LIBRARY, '').toLowerCase().split(':', 2);
  return { name, tag: tag === '' ? undefined : tag };
}

/** Names are also written with hyphens: `llama-3.2`. */
function tagsOf(name: string): readonly KnownTag[] | undefined {
  if (Object.hasOwn(knownModels, name)) return knownModels[name];
  const same = byFold(fold(name));
  return same === undefined ? undefined : knownModels[same];
}

function byFold(folded: string | undefined): string | undefined {
  return folded === undefined ? undefined : Object.keys(knownModels).find((each) => fold(each) === folded);
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** The words of a tag without those of its quant, in any spelling. */
function withoutQuant(tag: string, label: string | undefined): string[] {
  if (label === undefined) return tag.split('-');
  const at = [label, label.replace(/^F/, 'FP')].map((each) => tag.toUpperCase().lastIndexOf(each)).find((i) => i >= 0);
  return tag
    .slice(0, at ?? tag.length)
    .split('-')
    .filter(Boolean);
}
