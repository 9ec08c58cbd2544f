import type { Signature } from '../../signing/index.js';

/** A state, and where it is not `unsigned` the keys that signed. */
interface SignedState {
  readonly state: Signature['state'];
  readonly keys?: readonly string[];
}

/** A notice about a model's signature, in one line; undefined where a trusted key signed it. */
export function signatureNote({ state, keys = [] }: SignedState): string | undefined {
  switch (state) {
    case 'unsigned':
      return 'the model is not signed: nothing says who made it';
    case 'unknown':
      return `the model is signed by ${keys.join(', ')}, and by no trusted key`;
    case 'trusted':
      return undefined;
  }
}
