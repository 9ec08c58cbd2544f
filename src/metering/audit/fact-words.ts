// How one changed field reads in a sentence.
import type { Facts } from './audit-changes.js';
import { amountText, countText, moneyText } from '../../words/index.js';

/** A change in words: `raised` or `raise`, the field, and `from 5.00 to 10.00 USD`. */
export interface FactWords {
  readonly done: string;
  readonly toDo: string;
  readonly noun: string;
  readonly detail: string;
}

const NOUNS: Readonly<Record<string, string>> = {
  name: 'name',
  models: 'models',
  expires_at: 'expiry',
  requests_per_minute: 'limit of requests a minute',
  tokens_per_minute: 'limit of tokens a minute',
  parallel_requests: 'limit of parallel requests',
  max_output_tokens: 'limit of tokens an answer',
  prefix: 'secret',
  base_url: 'address',
  state: 'state',
  balance: 'balance',
  currency: 'currency',
  offer: 'offered models',
  offered_models: 'number of offered models',
  credential: 'credential',
  api_key: 'place of the secret',
  'price.input_per_million': 'price of a million prompt tokens',
  'price.output_per_million': 'price of a million completion tokens',
};
/** The units that the amounts of a price are for. */
const PRICED: Readonly<Record<string, string>> = {
  input_per_million: 'a million prompt tokens',
  output_per_million: 'a million completion tokens',
};
const WINDOWS: Readonly<Record<string, string>> = {
  day: 'daily budget',
  week: 'weekly budget',
  month: 'monthly budget',
  total: 'budget in total',
};
/** The word for an absent value, by field. */
const NONE: Readonly<Record<string, string>> = { models: 'all', expires_at: 'never' };
/** Characters of one value in a sentence. */
const MAX_VALUE = 120;

/** The fields of a change in words, in their order. */
export function factWords(before: Facts, after: Facts): readonly FactWords[] {
  return Object.keys(after).flatMap((name) =>
    name === 'budgets'
      ? budgetWords(before[name], after[name])
      : factsOf(name, before[name] ?? null, after[name] ?? null),
  );
}

/** For two objects, each differing field is one fact; any other value is one fact. */
function factsOf(name: string, before: unknown, after: unknown): readonly FactWords[] {
  if (!isPlain(before) || !isPlain(after)) return [oneFact(name, before, after)];
  const [old, now] = name === 'price' ? [priceWords(before), priceWords(after)] : [before, after];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((field) => {
    const [was, is] = [old[field] ?? null, now[field] ?? null];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : factsOf(`${name}.${field}`, was, is);
  });
}

function isPlain(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A price with its currency in each field. */
function priceWords({ currency, ...price }: Facts): Facts {
  if (typeof currency !== 'string') return price;
  return Object.fromEntries(
    Object.entries(price).map(([field, value]) => [
      field,
      typeof value === 'string' ? moneyText(value, currency) : value,
    ]),
  );
}

/** `0.10 EUR a million prompt tokens and 0.40 EUR a million completion tokens`. */
function wholePrice(price: Facts): string {
  const parts = Object.entries(priceWords(price)).map(
    ([field, value]) => `${valueWords(value)} ${PRICED[field] ?? field}`,
  );
  return parts.join(' and ');
}

function oneFact(name: string, before: unknown, after: unknown): FactWords {
  const noun = NOUNS[name] ?? name;
  const none = NONE[name];
  const shown = (value: unknown): string =>
    name === 'price' && isPlain(value) ? wholePrice(value) : valueWords(value, none);
  if (name === 'hash') return { done: 'changed', toDo: 'change', noun: 'hash', detail: '(hidden)' };
  if (before === null && none === undefined) return { ...SET, noun, detail: `to ${shown(after)}` };
  if (after === null && none === undefined) return { ...REMOVED, noun, detail: `(${shown(before)})` };
  return { ...verbOf(before, after), noun, detail: `from ${shown(before)} to ${shown(after)}` };
}

const SET = { done: 'set', toDo: 'set' };
const REMOVED = { done: 'removed', toDo: 'remove' };

function verbOf(before: unknown, after: unknown): Pick<FactWords, 'done' | 'toDo'> {
  if (typeof before !== 'number' || typeof after !== 'number') return { done: 'changed', toDo: 'change' };
  return after > before ? { done: 'raised', toDo: 'raise' } : { done: 'lowered', toDo: 'lower' };
}

/** Refilled budgets: each with its usage before. */
export function budgetsUsed(before: unknown): readonly { readonly noun: string; readonly detail: string }[] {
  const budgets: unknown = Reflect.get(Object(before) as object, 'budgets_used');
  return (Array.isArray(budgets) ? budgets : []).map((each) => {
    const budget = Object(each) as BudgetFacts & { readonly used?: unknown };
    const noun = WINDOWS[String(budget.window)] ?? 'budget';
    return { noun, detail: `${sizeOf(budget, budget.used)} of ${sizeOf(budget)} ${unitOf(budget)} was used` };
  });
}

interface BudgetFacts {
  readonly window?: unknown;
  readonly tokens?: unknown;
  readonly amount?: unknown;
  readonly currency?: unknown;
}

/** Budgets by window and unit: each is one limit. */
function budgetWords(before: unknown, after: unknown): readonly FactWords[] {
  const [old, now] = [byUnit(before), byUnit(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key): FactWords[] => {
    const [was, is] = [old.get(key), now.get(key)];
    const window = (is ?? was)?.window;
    const noun = WINDOWS[String(window)] ?? 'budget';
    const unit = unitOf(is ?? was ?? {});
    if (was === undefined) return [{ ...SET, noun, detail: `to ${sizeOf(is ?? {})} ${unit}` }];
    if (is === undefined) return [{ ...REMOVED, noun, detail: `(${sizeOf(was)} ${unit})` }];
    const [from, to] = [was, is].map((budget) => sizeOf(budget));
    if (from === to) return [];
    const verb = verbOf(Number(was.amount ?? was.tokens), Number(is.amount ?? is.tokens));
    return [{ ...verb, noun, detail: `from ${from} to ${to} ${unit}` }];
  });
}

function byUnit(budgets: unknown): ReadonlyMap<string, BudgetFacts> {
  const list: readonly unknown[] = Array.isArray(budgets) ? budgets : [];
  return new Map(
    list.map((each) => {
      const budget = Object(each) as BudgetFacts;
      return [`${String(budget.window)} ${unitOf(budget)}`, budget];
    }),
  );
}

function unitOf({ currency }: BudgetFacts): string {
  return typeof currency === 'string' ? currency : 'tokens';
}

/** Of a budget `value`, by default its size, as its unit is written. */
function sizeOf(budget: BudgetFacts, value: unknown = budget.amount ?? budget.tokens): string {
  const [text, unit] = [textOf(value), unitOf(budget)];
  return unit === 'tokens' ? countText(Number(text)) : amountText(text, unit);
}

/** A JSON value in words: a list by its values, an object by its fields, never as JSON. */
function valueWords(value: unknown, none = 'none'): string {
  const text = wordsOf(value, none);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function wordsOf(value: unknown, none: string): string {
  if (value === null || value === undefined) return none;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item) => wordsOf(item, 'none')).join(items.some(isPlain) ? '; ' : ', ') || 'none';
  }
  if (!isPlain(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const fields = Object.entries(value).map(([name, part]) => `${name} ${wordsOf(part, 'none')}`);
  return fields.join(', ') || 'none';
}

/** A number or an amount of JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '0';
}
