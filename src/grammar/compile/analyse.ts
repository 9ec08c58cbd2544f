import { AppError } from '../../base/index.js';
import type { Dfa, Expression, Grammar } from '../grammar.js';
import { limits, grammarTooLarge, type GrammarSize } from './limits.js';

/** Properties of the texts of a grammar's rules. */
export interface Analysis {
  /** Of each rule: whether the empty text is one. */
  readonly hasEmpty: readonly boolean[];
  /** Of each rule: whether there is another one than the empty text. */
  readonly hasOthers: readonly boolean[];
  /** Of each rule: those it names, each once. */
  readonly named: readonly (readonly number[])[];
}

/** Errors: `invalid_grammar` for a rule that is not there and for a count that is none, `grammar_too_large`. */
export function analyse({ rules, start }: Grammar, budget: GrammarSize): Analysis {
  if (rules.length > limits.rules) throw grammarTooLarge('rules', rules.length);
  if (rules[start] === undefined) throw invalid(`it starts with rule ${start} of ${rules.length}`);
  const named = rules.map((rule) => {
    const found = new Set<number>();
    collect(rule, rules.length, found, budget, 0);
    return [...found];
  });
  const namedBy: number[][] = rules.map(() => []);
  named.forEach((callees, rule) => callees.forEach((callee) => namedBy[callee]?.push(rule)));
  const holds = (test: (rule: Expression, known: readonly boolean[]) => boolean): boolean[] => {
    const known = rules.map(() => false);
    const open = rules.map((_, rule) => rule);
    for (let rule = open.pop(); rule !== undefined; rule = open.pop()) {
      budget.takeSteps(1);
      if (known[rule] === true || !test(rules[rule] as Expression, known)) continue;
      known[rule] = true;
      open.push(...(namedBy[rule] ?? []));
    }
    return known;
  };
  const hasEmpty = holds(mayBeEmpty);
  const hasAny = holds(mayBeAny);
  const hasOthers = holds((rule, known) => mayBeOther(rule, { hasAny, hasOthers: known }));
  return { hasEmpty, hasOthers, named };
}

function collect(
  expression: Expression,
  numRules: number,
  found: Set<number>,
  budget: GrammarSize,
  depth: number,
): void {
  if (depth > limits.depth) throw grammarTooLarge('depth');
  budget.takeSteps(1);
  const { kind } = expression;
  if (kind === 'rule') {
    if (!(expression.rule >= 0 && expression.rule < numRules)) throw invalid(`rule ${expression.rule} of ${numRules}`);
    found.add(expression.rule);
  } else if (kind === 'repeat') {
    const { min, max = Infinity } = expression;
    if (!Number.isInteger(min) || min < 0 || !(max >= min)) throw invalid(`a repetition of ${min} to ${max} times`);
    collect(expression.of, numRules, found, budget, depth + 1);
  } else if (kind === 'sequence' || kind === 'choice') {
    for (const one of kind === 'sequence' ? expression.parts : expression.options) {
      collect(one, numRules, found, budget, depth + 1);
    }
  }
}

function mayBeEmpty(expression: Expression, known: readonly boolean[]): boolean {
  switch (expression.kind) {
    case 'bytes':
      return expression.bytes.length === 0;
    case 'regular':
      return expression.dfa.accepting[0] === 1;
    case 'sequence':
      return expression.parts.every((part) => mayBeEmpty(part, known));
    case 'choice':
      return expression.options.some((option) => mayBeEmpty(option, known));
    case 'repeat':
      return expression.min === 0 || mayBeEmpty(expression.of, known);
    case 'rule':
      return known[expression.rule] === true;
  }
}

function mayBeAny(expression: Expression, known: readonly boolean[]): boolean {
  switch (expression.kind) {
    case 'bytes':
      return true;
    case 'regular':
      return expression.dfa.accepting.includes(1);
    case 'sequence':
      return expression.parts.every((part) => mayBeAny(part, known));
    case 'choice':
      return expression.options.some((option) => mayBeAny(option, known));
    case 'repeat':
      return expression.min === 0 || mayBeAny(expression.of, known);
    case 'rule':
      return known[expression.rule] === true;
  }
}

/** Whether there is a text of at least a byte. */
function mayBeOther(
  expression: Expression,
  known: { readonly hasAny: readonly boolean[]; readonly hasOthers: readonly boolean[] },
): boolean {
  switch (expression.kind) {
    case 'bytes':
      return expression.bytes.length > 0;
    case 'regular':
      return readsSomething(expression.dfa);
    case 'sequence':
      return (
        expression.parts.every((part) => mayBeAny(part, known.hasAny)) &&
        expression.parts.some((part) => mayBeOther(part, known))
      );
    case 'choice':
      return expression.options.some((option) => mayBeOther(option, known));
    case 'repeat':
      return expression.max !== 0 && mayBeOther(expression.of, known);
    case 'rule':
      return known.hasOthers[expression.rule] === true;
  }
}

/** Whether an accepting state comes after at least one byte. */
function readsSomething({ transitions, accepting, numClasses }: Dfa): boolean {
  const seen = new Set<number>();
  const found = [0];
  for (const state of found) {
    for (const next of transitions.subarray(state * numClasses, (state + 1) * numClasses)) {
      if (next < 0 || seen.has(next)) continue;
      if (accepting[next] === 1) return true;
      seen.add(next);
      found.push(next);
    }
  }
  return false;
}

function invalid(problem: string): AppError {
  return new AppError('invalid_grammar', `a grammar cannot be read: ${problem}; correct what has built it`, {});
}
