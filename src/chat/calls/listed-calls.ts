import type { CallNotation } from '../chat-parser.js';
import type { CallSyntax } from './call-syntax.js';

/**
 * Calls as a list of objects behind one of `openers`, of which some have its bracket in them; behind it may stand one of
 * `closers`. `nameKey`: what the tool's name stands behind.
 */
export function listedCalls(
  openers: readonly string[],
  closers: readonly string[] = [],
  nameKey: string = 'name',
): CallSyntax {
  return {
    openers: Object.fromEntries(openers.map((opener) => [opener, opener.endsWith('[') ? 'item' : 'begin'])),
    closers,
    places: {
      begin: [{ kind: 'text', text: '[', next: 'item' }],
      item: [
        { kind: 'call', nameKey, next: 'afterItem' },
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

/** The notation of such calls behind a tag; `closer` stands behind the list. `other`: another opener, with the bracket. */
export function listNotation(opener: string, closer = '', other?: string): CallNotation {
  const others = other === undefined ? [] : [other];
  return {
    triggers: [opener, ...others],
    begin: [`${opener}[`, ...others],
    open: (name) => [`{"name": ${JSON.stringify(name)}, "arguments": `],
    close: ['}'],
    between: ', ',
    end: `]${closer}`,
  };
}
