import { compileRegex } from '../../regex/index.js';
import { compilePattern, literal, sequence } from '../../regular/index.js';
import type { Format } from './format.js';
import { hostPattern } from './hostname.js';

/** RFC 5321, `Dot-string`, in the length that section 4.5.3.1.1 allows. */
const LOCAL_PART = "(?=.{1,64}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*";

/** `email`: RFC 5321. */
export const email: Format = {
  name: 'email',
  narrower: 'no quoted local part, no address in brackets, a host name of at least 2 labels',
  compile(budget) {
    const local = compileRegex(LOCAL_PART, { anchored: true }, budget);
    return compilePattern(
      sequence({ kind: 'automaton', automaton: local }, literal('@'), hostPattern(2, budget)),
      budget,
    );
  },
};
