import type { CallNotation } from '../chat-parser.js';
import type { CallSyntax } from './call-syntax.js';

/** Calls as a list of objects behind one of `openers`; behind it may stand one of `closers`. */
export function listedCalls(openers: readonly string[], closers: readonly string[] = []): CallSyntax {
  return {
    openers: Object.fromEntries(openers.map((opener) => [opener, 'begin'])),
    closers,
    places: {
      begin: [{ kind: 'text', text: '[', next: 'item' }],
      item: [
        { kind: 'call', next: 'afterItem' },
        { kind: 'text', text: ']', next: 'close', closes: true },
      ],
      afterItem: [
        { kind: 'text', text: ',', next: 'item' },
        { kind: 'text', text: ']', next: 'close', closes: true },
      ],
      close: closers.map((text) => ({ kind: 'text', text, next: 'end', closes: true })),
    },
  };
}

/** The notation of such calls behind a tag; `closer` stands behind the list. */
export function listNotation(opener: string, closer = ''): CallNotation {
  return {
    trigger: opener,
    begin: [`${opener}[`],
    open: (name) => [`{"name": ${JSON.stringify(name)}, "arguments": `],
    close: ['}'],
    between: ', ',
    end: `]${closer}`,
  };
}
