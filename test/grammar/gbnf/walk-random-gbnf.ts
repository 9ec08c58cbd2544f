import { hasErrorCode } from '../../../src/base/index.js';
import { compileGbnf, type TextState } from '../../../src/grammar/entry.js';
import { expectCpuWithin } from '../../support/elapsed.js';

const CODES = ['invalid_grammar', 'unsatisfiable_grammar', 'grammar_too_large'];

/** Compiles a text and walks 20 bytes of what it allows, or sees that it is refused with a code; in a second of computing. */
export function walkRandomGbnf(gbnf: string): void {
  expectCpuWithin(1_000, () => {
    try {
      let state = compileGbnf(gbnf).start();
      for (let i = 0; i < 20 && !state.isOver; i++) state = nextOf(state);
    } catch (error) {
      if (!CODES.some((code) => hasErrorCode(error, code))) throw error;
    }
  });
}

/** The state after the first byte that may come. */
function nextOf(state: TextState): TextState {
  for (let byte = 0; byte < 256; byte++) {
    const next = state.advance(Uint8Array.of(byte));
    if (next !== undefined) return next;
  }
  throw new Error('a text that is not over can go on');
}
