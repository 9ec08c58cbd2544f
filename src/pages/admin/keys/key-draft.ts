import {
  errorOf,
  readDecimal,
  readText,
  readWhole,
  toLocalTime,
  toSentTime,
  type Typed,
  type BudgetUsage,
  type BudgetWindow,
} from '../../data/index.js';
import { budgetText } from '../../../words/index.js';
import type { Key, KeyRules, SentBudget, SentLimits } from '../api/key-answers.js';

/** The typed values of a budget. */
export interface BudgetDraft {
  readonly unit: 'tokens' | 'money';
  readonly amount: string;
  readonly currency: string;
  readonly window: BudgetWindow;
}

/** The choice of models of a key. */
export type ModelChoice = 'all' | 'some' | 'none';

/** The limits that consist of one number. */
export const NUMBER_LIMITS = [
  ['requests_per_minute', 'Requests a minute', 1_000_000],
  ['tokens_per_minute', 'Tokens a minute', 1_000_000_000_000],
  ['parallel_requests', 'Requests at once', 100_000],
  ['max_output_tokens', 'Longest answer, in tokens', 10_000_000],
] as const;
type NumberLimit = (typeof NUMBER_LIMITS)[number][0];

/** The typed values of a key. */
export interface KeyDraft {
  readonly name: string;
  readonly choice: ModelChoice;
  /** The ids of the ticked models. */
  readonly models: readonly string[];
  /** Names that end with `*`, one per line. */
  readonly patterns: string;
  readonly expiresAt: string;
  readonly numbers: Readonly<Record<NumberLimit, string>>;
  readonly budgets: readonly BudgetDraft[];
}

const MAX_NAME = 100;
const MAX_TOKENS = 1_000_000_000_000;
const NO_NUMBERS = { requests_per_minute: '', tokens_per_minute: '', parallel_requests: '', max_output_tokens: '' };

/** The draft of a new key. */
export const EMPTY_KEY: KeyDraft = {
  name: '',
  choice: 'all',
  models: [],
  patterns: '',
  expiresAt: '',
  numbers: NO_NUMBERS,
  budgets: [],
};

/** The draft of an existing key. */
export function toDraft({ name, models, expires_at: expiresAt, limits }: Key): KeyDraft {
  const numbers = Object.fromEntries(NUMBER_LIMITS.map(([id]) => [id, String(limits[id] ?? '')]));
  return {
    name,
    choice: models === null ? 'all' : models.length === 0 ? 'none' : 'some',
    models: (models ?? []).filter((model) => !model.endsWith('*')),
    patterns: (models ?? []).filter((model) => model.endsWith('*')).join('\n'),
    expiresAt: toLocalTime(expiresAt),
    numbers: { ...NO_NUMBERS, ...numbers },
    budgets: limits.budgets.map(toBudgetDraft),
  };
}

function toBudgetDraft({ unit, limit, window }: BudgetUsage): BudgetDraft {
  const isTokens = unit === 'tokens';
  return { unit: isTokens ? 'tokens' : 'money', amount: String(limit), currency: isTokens ? '' : unit, window };
}

/** The errors of a draft by field; empty without errors. */
export function errorsOf(draft: KeyDraft): Readonly<Record<string, string>> {
  const found: [string, string | undefined][] = [
    ['name', errorOf(readText(draft.name, MAX_NAME))],
    ['models', draft.choice === 'some' && namesOf(draft).length === 0 ? 'Tick a model, or write a name.' : undefined],
    ...NUMBER_LIMITS.map(([id, , max]): [string, string | undefined] => [
      id,
      errorOf(readLimit(draft.numbers[id], max)),
    ]),
    ...draft.budgets.map((budget, i): [string, string | undefined] => [`budget${i}`, errorOf(readBudget(budget))]),
  ];
  return Object.fromEntries(found.flatMap(([name, error]) => (error === undefined ? [] : [[name, error]])));
}

/** Converts a draft without errors to rules. Unchanged times keep the seconds of `before`. */
export function toRules(draft: KeyDraft, before?: Key): KeyRules {
  const numbers = NUMBER_LIMITS.flatMap(([id, , max]) => {
    const read = readLimit(draft.numbers[id], max);
    return 'value' in read && read.value !== undefined ? [[id, read.value] as const] : [];
  });
  const budget = draft.budgets.flatMap((each) => {
    const read = readBudget(each);
    return 'value' in read ? [read.value] : [];
  });
  const limits: SentLimits = { ...Object.fromEntries(numbers), ...(budget.length > 0 && { budget }) };
  const kept = before !== undefined && toLocalTime(before.expires_at) === draft.expiresAt;
  return {
    name: draft.name.trim(),
    models: draft.choice === 'all' ? null : draft.choice === 'none' ? [] : namesOf(draft),
    expires_at: kept ? before.expires_at : (toSentTime(draft.expiresAt) ?? null),
    limits,
  };
}

/** The rules as texts by field, for a comparison of two versions. */
export function toTexts(draft: KeyDraft): Readonly<Record<string, string>> {
  const names = draft.choice === 'some' ? namesOf(draft).join(', ') : draft.choice;
  return {
    Name: draft.name,
    Models: names,
    Expires: draft.expiresAt === '' ? 'never' : draft.expiresAt.replace('T', ' '),
    ...Object.fromEntries(NUMBER_LIMITS.map(([id, label]) => [label, draft.numbers[id] || 'no limit'])),
    Budgets: draft.budgets.map(toBudgetText).join('; ') || 'none',
  };
}

function toBudgetText({ unit, amount, currency, window }: BudgetDraft): string {
  return budgetText(amount, unit === 'tokens' ? unit : currency, window);
}

function namesOf({ models, patterns }: KeyDraft): string[] {
  const written = patterns.split(/[\s,]+/).filter((name) => name !== '');
  return [...new Set([...models, ...written])];
}

function readLimit(text: string, max: number): Typed<number | undefined> {
  return readWhole(text, { min: 1, max, isOptional: true });
}

function readBudget({ unit, amount, currency, window }: BudgetDraft): Typed<SentBudget> {
  if (unit === 'tokens') {
    const read = readWhole(amount, { min: 1, max: MAX_TOKENS });
    return 'error' in read ? read : { value: { tokens: read.value ?? 0, window } };
  }
  const read = readDecimal(amount);
  if ('error' in read) return read;
  if (!/^[A-Z]{3}$/.test(currency)) return { error: 'Three capital letters for the currency, such as EUR.' };
  return { value: { amount: read.value, currency, window } };
}
