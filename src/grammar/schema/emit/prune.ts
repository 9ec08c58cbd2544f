import type { Expression, Grammar } from '../../grammar.js';
import type { WorkBudget } from '../../regular/index.js';
import { EMPTY, inOrder, NEVER, alternatives } from './builder.js';

/** Cost of an expression's part until its grammar is compiled, in steps of the budget. */
const STEPS_OF_A_PART = 24;

/** Without what no text can come from, and without rules that nothing leads to; undefined where no text is left. */
export function prune({ rules, start }: Grammar, budget: WorkBudget): Grammar | undefined {
  const productive = findProductive(rules, budget);
  if (productive[start] !== 1) return undefined;
  const names = new Map<number, number>([[start, 0]]);
  const order = [start];
  const kept: Expression[] = [];
  const nameOf = (rule: number): number => {
    const found = names.get(rule) ?? names.size;
    if (found === names.size) {
      names.set(rule, found);
      order.push(rule);
    }
    return found;
  };
  for (const rule of order) kept.push(rewrite(rules[rule] ?? NEVER, productive, nameOf) ?? NEVER);
  return { rules: kept, start: 0 };
}

/** [rules]: 1 where a text comes from it. */
function findProductive(rules: readonly Expression[], budget: WorkBudget): Uint8Array {
  const productive = new Uint8Array(rules.length);
  const users: number[][] = rules.map(() => []);
  rules.forEach((expression, rule) => addUses(expression, budget, (used) => users[used]?.push(rule)));
  const queue = rules.map((_, rule) => rule);
  const isQueued = new Uint8Array(rules.length).fill(1);
  for (let rule = queue.pop(); rule !== undefined; rule = queue.pop()) {
    isQueued[rule] = 0;
    budget.spend(2);
    if (productive[rule] === 1 || !isProductive(rules[rule] ?? NEVER, productive)) continue;
    productive[rule] = 1;
    for (const user of users[rule] ?? []) {
      if (productive[user] === 1 || isQueued[user] === 1) continue;
      isQueued[user] = 1;
      queue.push(user);
    }
  }
  return productive;
}

/** Calls `add` for each rule that it names. Each part of it is charged the cost of its later processing. */
function addUses(expression: Expression, budget: WorkBudget, add: (rule: number) => void): void {
  budget.spend(STEPS_OF_A_PART);
  switch (expression.kind) {
    case 'rule':
      add(expression.rule);
      return;
    case 'sequence':
      for (const part of expression.parts) addUses(part, budget, add);
      return;
    case 'choice':
      for (const option of expression.options) addUses(option, budget, add);
      return;
    case 'repeat':
      addUses(expression.of, budget, add);
      return;
    case 'bytes':
    case 'regular':
  }
}

function isProductive(expression: Expression, productive: Uint8Array): boolean {
  switch (expression.kind) {
    case 'bytes':
      return true;
    case 'regular':
      return expression.dfa.accepting.includes(1);
    case 'rule':
      return productive[expression.rule] === 1;
    case 'sequence':
      return expression.parts.every((part) => isProductive(part, productive));
    case 'choice':
      return expression.options.some((option) => isProductive(option, productive));
    case 'repeat':
      return expression.min === 0 || isProductive(expression.of, productive);
  }
}

/** With the names of its rules, and without what no text comes from; undefined where none comes from the whole. */
function rewrite(
  expression: Expression,
  productive: Uint8Array,
  nameOf: (rule: number) => number,
): Expression | undefined {
  switch (expression.kind) {
    case 'bytes':
      return expression;
    case 'regular':
      return isProductive(expression, productive) ? expression : undefined;
    case 'rule':
      return productive[expression.rule] === 1 ? { kind: 'rule', rule: nameOf(expression.rule) } : undefined;
    case 'sequence': {
      // Rules that only an unproductive sequence names get no name.
      if (!isProductive(expression, productive)) return undefined;
      return inOrder(...expression.parts.map((part) => rewrite(part, productive, nameOf) ?? NEVER));
    }
    case 'choice': {
      const options = expression.options.flatMap((option) => rewrite(option, productive, nameOf) ?? []);
      return options.length === 0 ? undefined : alternatives(...options);
    }
    case 'repeat': {
      const of = rewrite(expression.of, productive, nameOf);
      if (of !== undefined) return { kind: 'repeat', of, min: expression.min, max: expression.max };
      return expression.min === 0 ? EMPTY : undefined;
    }
  }
}
