import type { Expression } from '../../../grammar.js';
import { isEmpty, toUtf8 } from '../../../regular/index.js';
import type { Decimal } from '../../shape/decimal.js';
import type { Bound, NumberPart } from '../../shape/number-part.js';
import type { GrammarBuilder } from '../builder.js';
import type { Emitter } from '../emitter.js';
import { numberAutomaton } from './number-automaton.js';

/** The texts of the numbers of a part; nothing where none holds it, or it lists them. */
export function numberTexts({ builder }: Emitter, part: NumberPart): Expression[] {
  return part.values === undefined ? [numberText(builder, part)] : [];
}

/** The texts of the numbers of a part that does not list them. */
export function numberText(builder: GrammarBuilder, part: NumberPart): Expression {
  return builder.later(`number ${keyOf(part)}`, () => {
    const automaton = numberAutomaton(part, builder.budget);
    return isEmpty(automaton)
      ? { kind: 'choice', options: [] }
      : { kind: 'regular', dfa: toUtf8(automaton, builder.budget) };
  });
}

function keyOf({ isWhole, min, max, multiplesOf, notMultiplesOf, excluded }: NumberPart): string {
  const number = ({ digits, exponent }: Decimal): string => `${digits}e${exponent}`;
  const bound = (each: Bound | undefined): string =>
    each === undefined ? '' : `${number(each.at)}${each.isExclusive ? 'x' : ''}`;
  const lists = [multiplesOf, notMultiplesOf, excluded].map((list) => list.map(number).join());
  return [String(isWhole), bound(min), bound(max), ...lists].join(';');
}
