import { isRecord, type JsonRecord } from './json-record.js';
import type { ToldUsage } from './told-usage.js';
import { USAGE_FORMS, USAGE_PLACES, type UsageForm, type UsagePart } from './usage-forms.js';

/**
 * The usage in an object, in any of the forms of `USAGE_FORMS`. An object may be ambiguous: tokens of a cache in the
 * prompt or beside it, or reasoning in the completion or beside it. Its total then decides. An object whose numbers are
 * all zero becomes `{ isZero: true }`. Undefined: not an object with numbers of tokens.
 */
export function readUsage(usage: unknown): ToldUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = firstOf(usage, 'prompt');
  const completion = firstOf(usage, 'completion');
  const total = largestOf(usage, 'total')?.value ?? 0;
  if (prompt === undefined && completion === undefined && total === 0) return undefined;
  const read = besideOrInside(largestOf(usage, 'cacheRead'), prompt);
  const written = besideOrInside(largestOf(usage, 'cacheWrite'), prompt);
  const reasoning = besideOrInside(largestOf(usage, 'reasoning'), completion);
  const numbers = [prompt?.value, completion?.value, total, read.value, written.value, reasoning.value];
  if (numbers.every((value) => (value ?? 0) === 0)) return { isZero: true };

  const prompts = prompt === undefined ? [undefined] : promptsOf(prompt.value, read, written);
  const completions = completion === undefined ? [undefined] : completionsOf(completion.value, reasoning);
  const [promptTokens, completionTokens] = decide(prompts, completions, total);
  return {
    ...(promptTokens !== undefined && { promptTokens }),
    ...(completionTokens !== undefined && { completionTokens }),
    ...(read.isTold && { cachedTokens: Math.min(read.value, promptTokens ?? read.value) }),
    ...(written.isTold && { cacheWriteTokens: Math.min(written.value, promptTokens ?? written.value) }),
    ...(reasoning.isTold && { reasoningTokens: Math.min(reasoning.value, completionTokens ?? reasoning.value) }),
    ...(prompt === undefined && completion === undefined && { totalTokens: total }),
  };
}

/** The usage in an answer, or in the data of an event: at the first of `USAGE_PLACES` that has some, or in its root. */
export function findUsage(data: JsonRecord): ToldUsage | undefined {
  let zero: ToldUsage | undefined;
  for (const usage of [...USAGE_PLACES.map((place) => at(data, place)), rootOf(data)]) {
    const told = readUsage(usage);
    if (told === undefined) continue;
    if (told.isZero !== true) return told;
    zero = told;
  }
  return zero;
}

/** The numbers of tokens in the root, without those that mean something else there. */
function rootOf(data: JsonRecord): JsonRecord | undefined {
  const names = USAGE_FORMS.filter(({ isAtRoot }) => isAtRoot === true).map(({ names: [name] }) => name);
  const told = names.filter((name) => Object.hasOwn(data, name)).map((name) => [name, data[name]]);
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

interface Found {
  readonly value: number;
  readonly form: UsageForm;
}

/** Tokens that are a part of others, or beside them. */
interface Part {
  readonly value: number;
  readonly isTold: boolean;
  readonly isBeside: boolean;
}

function firstOf(usage: JsonRecord, part: UsagePart): Found | undefined {
  const all = allOf(usage, part);
  return all.find(({ value }) => value > 0) ?? all[0];
}

function largestOf(usage: JsonRecord, part: UsagePart): Found | undefined {
  let largest: Found | undefined;
  // Of equal ones the first: names of tokens inside of others precede the other names.
  for (const found of allOf(usage, part)) if (found.value > (largest?.value ?? -1)) largest = found;
  return largest;
}

function allOf(usage: JsonRecord, part: UsagePart): readonly Found[] {
  const all: Found[] = [];
  for (const form of USAGE_FORMS) {
    if (form.part !== part) continue;
    const values = form.names.map((name) => count(at(usage, name.split('.')))).filter((value) => value !== undefined);
    if (values.length > 0) all.push({ form, value: values.reduce((sum, value) => sum + value, 0) });
  }
  return all;
}

function besideOrInside(found: Found | undefined, whole: Found | undefined): Part {
  const isBeside = found?.form.besideOf !== undefined && found.form.besideOf === whole?.form.names[0];
  return { value: found?.value ?? 0, isTold: found !== undefined, isBeside };
}

/** Possible totals of the prompt, the likeliest first. */
function promptsOf(own: number, read: Part, written: Part): readonly number[] {
  const all: number[] = [];
  for (const changesWritten of [false, true]) {
    for (const changesRead of [false, true]) {
      const [readBeside, writtenBeside] = [read.isBeside !== changesRead, written.isBeside !== changesWritten];
      const inside = (readBeside ? 0 : read.value) + (writtenBeside ? 0 : written.value);
      // A part cannot exceed its whole.
      if (inside > own) continue;
      all.push(own + (readBeside ? read.value : 0) + (writtenBeside ? written.value : 0));
    }
  }
  return all;
}

/** The same of the completion. */
function completionsOf(own: number, { value, isBeside }: Part): readonly number[] {
  if (value > own) return [own + value];
  return isBeside ? [own + value, own] : [own, own + value];
}

/** The two whose sum is the total; else the likeliest, and the rest of the total is unreported reasoning. */
function decide(
  prompts: readonly (number | undefined)[],
  completions: readonly (number | undefined)[],
  total: number,
): readonly [number | undefined, number | undefined] {
  const [prompt] = prompts;
  const [completion] = completions;
  if (total === 0) return [prompt, completion];
  if (prompt === undefined && completion === undefined) return [undefined, undefined];
  if (prompt === undefined) return [Math.max(0, total - (completion ?? 0)), completion];
  // A prompt has a token at least: one of zero was left out.
  if (completion === undefined) return prompt === 0 ? [total, 0] : [prompt, Math.max(0, total - prompt)];
  for (const one of prompts) {
    for (const other of completions) if ((one ?? 0) + (other ?? 0) === total) return [one, other];
  }
  if (total <= prompt + completion) return [prompt, completion];
  return prompt === 0 ? [total - completion, completion] : [prompt, total - prompt];
}

function at(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    if (Array.isArray(value)) value = name === '0' ? (value as readonly unknown[])[0] : undefined;
    else if (isRecord(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
}

/** A number of tokens; other values count as absent. */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
