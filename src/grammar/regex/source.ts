import { AppError } from '../../base/index.js';

/** The source of a regular expression while it is read, one code point at a time. */
export interface Source {
  /** The code point `ahead` positions further as a text; '' beyond the end. */
  readonly peek: (ahead?: number) => string;
  /** Takes one code point. */
  readonly take: () => string;
  /** Takes `text` where it comes next. */
  readonly takeIf: (text: string) => boolean;
  /** Takes what `pattern`, which is sticky, matches next. */
  readonly takeMatch: (pattern: RegExp) => RegExpExecArray | undefined;
  /** Errors: `invalid_regex`, with the place. */
  readonly fail: (problem: string) => never;
}

/** Begins at the first code point of `text`. */
export function createSource(text: string): Source {
  let at = 0;
  const charAt = (place: number): string => {
    const codePoint = text.codePointAt(place);
    return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
  };
  return {
    peek(ahead = 0) {
      let place = at;
      for (let i = 0; i < ahead; i++) place += Math.max(1, charAt(place).length);
      return charAt(place);
    },
    take() {
      const char = charAt(at);
      at += char.length;
      return char;
    },
    takeIf(expected) {
      if (!text.startsWith(expected, at)) return false;
      at += expected.length;
      return true;
    },
    takeMatch(pattern) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match === null) return undefined;
      at += match[0].length;
      return match;
    },
    fail(problem) {
      throw invalidRegex(problem, at);
    },
  };
}

/** The error for a regular expression that cannot be read or held; `at`: the place in its source. */
export function invalidRegex(problem: string, at?: number): AppError {
  const place = at === undefined ? '' : ` at character ${at}`;
  return new AppError('invalid_regex', `the regular expression cannot be used: ${problem}${place}`, {
    problem,
    at: at ?? null,
  });
}
