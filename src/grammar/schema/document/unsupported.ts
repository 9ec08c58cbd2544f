import { AppError } from '../../../base/index.js';

/** A keyword of a schema. */
export interface Keyword {
  /** JSON pointer of the schema that has it. */
  readonly pointer: string;
  readonly keyword: string;
}

/** Why a keyword cannot be enforced. */
export interface UnsupportedKeyword extends Keyword {
  /** The end of a sentence. */
  readonly reason: string;
}

/** Advice for callers that can set `strict`: the end of each message. */
export const STRICT_ADVICE = 'change it, or ask with strict: false to have it ignored';

/** The error for a keyword that cannot be enforced. */
export function unsupportedKeyword({ pointer, keyword, reason }: UnsupportedKeyword): AppError {
  const place = childPointer(pointer, keyword);
  const message = `the keyword ${keyword} at ${place} of the JSON Schema cannot be enforced: ${reason}`;
  return new AppError('unsupported_schema', `${message}; ${STRICT_ADVICE}`, {
    pointer: place,
    keyword,
    reason,
  });
}

/** The pointer of a member or an item. Source: RFC 6901. */
export function childPointer(pointer: string, ...tokens: readonly (string | number)[]): string {
  return tokens.reduce<string>(
    (path, token) => `${path}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}
