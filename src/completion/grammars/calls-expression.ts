import type { NotationText } from '../../chat/index.js';
import { freeText, readRegex, textExpression, type Expression } from '../../grammar/index.js';
import type { CallableTool, CallsRequest } from './grammar-request.js';

/** Limit of calls in one answer. A small model that may always go on calling often does not stop by itself. */
const MAX_CALLS = 16;

/**
 * Calls in the notation, one after the other. Where no call is required, other text may surround them that does not
 * open a call, unless the answer has another format beside. `toArguments` gives the expression of a tool's arguments.
 */
export function callsExpression(
  { tools, notation, isRequired, isSingle }: CallsRequest,
  toArguments: (tool: CallableTool) => Expression,
  hasOther: boolean,
): Expression {
  const { triggers, begin, close, between, end } = notation;
  const known = new Map(tools.map((tool) => [tool, toArguments(tool)]));
  const callAs = (open: (tool: CallableTool) => readonly NotationText[]): Expression =>
    choice(tools.map((tool) => sequence(anyOf(open(tool)), known.get(tool) ?? choice([]), anyOf(close))));
  const call = callAs(({ open }) => open);
  const more = (first: Expression): Expression => ({
    kind: 'repeat',
    of: sequence(first, call),
    min: 0,
    max: isSingle ? 0 : MAX_CALLS - 1,
  });
  const rowOf = (first: Expression): Expression => sequence(first, more(textExpression(between)), textExpression(end));
  const bareTools = tools.flatMap(({ bare }) => bare ?? []);
  const mayBeBare = bareTools.length > 0;
  const announced = begin.length === 0 ? [call] : [sequence(anyOf(begin), call)];
  if (isRequired || hasOther) return rowOf(choice(mayBeBare ? [call, ...announced] : announced));

  const text = freeText(triggers);
  const starts = bareTools.map(({ start }) => start);
  const opening = mayBeBare ? freeText(triggers, starts) : text;
  const calls = begin.length === 0 ? sequence(call, more(text)) : rowOf(choice(announced));
  const free = sequence(opening, optional(sequence(calls, text)));
  if (!mayBeBare) return free;
  return choice([free, rowOf(callAs(({ bare }) => (bare === undefined ? [] : [{ pattern: bare.open }])))]);
}

function anyOf(texts: readonly NotationText[]): Expression {
  return choice(
    texts.map((text) =>
      typeof text === 'string'
        ? textExpression(text)
        : { kind: 'regular', dfa: readRegex(text.pattern, { anchored: true }) },
    ),
  );
}

function sequence(...parts: readonly Expression[]): Expression {
  return { kind: 'sequence', parts };
}

function choice(options: readonly Expression[]): Expression {
  return { kind: 'choice', options };
}

function optional(of: Expression): Expression {
  return { kind: 'repeat', of, min: 0, max: 1 };
}
