import type { AppError } from '../../base/index.js';
import type { UpstreamAnswer } from '../../relay/index.js';

/** The bytes of an answer up to `limitBytes`; `refuse` makes the error of a longer one. Errors: those of the body. */
export async function readAnswerBody(
  { body }: Pick<UpstreamAnswer, 'body'>,
  limitBytes: number,
  refuse: (why: string) => AppError,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > limitBytes) throw refuse(`more than ${limitBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
