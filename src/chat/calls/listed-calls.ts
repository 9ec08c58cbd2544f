import type { CallNotation } from '../chat-parser.js';
import type { CallSyntax } from './call-syntax.js';

/**
 * Calls as a list of objects behind one of `openers`, some of which include the list's bracket. One of `closers` may
 * follow. `nameKey`: the key of the tool's name.
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

/** The notation of such calls behind a tag; `closer` follows the list. `other`: another opener, with the bracket. */
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
