import type { CallSyntax } from './call-syntax.js';

/** Before calls, in every version. */
export const CALLS = '[TOOL_CALLS]';
/** Between a call's name and its arguments, in version 11 and later. */
export const ARGS = '[ARGS]';
/** Before the id of a call, in version 11. */
export const CALL_ID = '[CALL_ID]';
/** Ids that the templates of Mistral's models accept. */
export const ID_PATTERN = '[A-Za-z0-9]{9}';

/** All versions: a list of objects, or a name, perhaps an id, and arguments. */
export const mistralCalls: CallSyntax = {
  openers: { [CALLS]: 'begin' },
  closers: [],
  places: {
    begin: [
      { kind: 'text', text: '[', next: 'item' },
      { kind: 'call', next: 'end' },
      { kind: 'name', next: 'named' },
    ],
    item: [
      { kind: 'call', next: 'afterItem' },
      { kind: 'text', text: ']', next: 'end', closes: true },
    ],
    afterItem: [
      { kind: 'text', text: ',', next: 'item' },
      { kind: 'text', text: ']', next: 'end', closes: true },
    ],
    named: [
      { kind: 'text', text: CALL_ID, next: 'id' },
      { kind: 'text', text: ARGS, next: 'arguments' },
      { kind: 'arguments', next: 'end' },
    ],
    id: [{ kind: 'word', next: 'identified' }],
    identified: [{ kind: 'text', text: ARGS, next: 'arguments' }],
    arguments: [{ kind: 'arguments', next: 'end' }],
  },
};
