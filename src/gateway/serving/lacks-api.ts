// Decides whether an answer means that its server lacks the API.
import { fieldOf, type UpstreamAnswer } from '../../relay/index.js';
import { readFault, type UpstreamFault } from '../../translation/index.js';

/** Bytes of an answer that are read to find out. No known one has a hundredth. */
const MAX_BYTES = 64 * 1024;

/**
 * Words in a 404 for something other than a path: a model, or a stored answer. For a missing path servers have other
 * words: `Not Found` (FastAPI), `File Not Found` (llama.cpp), `404 page not found` (Ollama), `Invalid URL` (OpenAI).
 */
const OF_A_THING = /\b(?:model|adapter|lora|deployment|response|conversation|item|file id)\b/i;
/** Codes and types of a 404 that add nothing to its status. */
const OF_A_PATH = /^(?:404|not_?found(?:_?error)?|unknown_url|invalid_request_error|error)$/i;

/** An answer, and whether its server lacks the API. The answer still contains the bytes that were read. */
export interface JudgedAnswer {
  readonly answer: UpstreamAnswer;
  readonly isLack: boolean;
}

/**
 * Classifies an answer to a request by `path`. A 404 that names a model, or another resource, does not concern the
 * path. Errors: those of its body.
 */
export async function judgeAnswer(answer: UpstreamAnswer, path: string): Promise<JudgedAnswer> {
  const { status } = answer;
  if (status === 405 || status === 501) return { answer, isLack: true };
  if (status !== 404) return { answer, isLack: false };
  const pieces: Uint8Array[] = [];
  let [size, isOver] = [0, false];
  while (size <= MAX_BYTES && !isOver) {
    const next = await answer.body.next();
    isOver = next.done === true;
    if (next.done === true) break;
    pieces.push(next.value);
    size += next.value.length;
  }
  const isPlain = fieldOf(answer.fields, 'content-encoding') === undefined;
  const isLack = isOver && isPlain && isOfPath(Buffer.concat(pieces).toString('utf8'), path);
  return { answer: { ...answer, body: again(pieces, answer.body) }, isLack };
}

function isOfPath(body: string, path: string): boolean {
  const fault = faultOf(body);
  // A page, or nothing.
  if (fault === undefined) return !OF_A_THING.test(body.slice(0, MAX_BYTES).replaceAll(path, ''));
  const { message, code, type, param } = fault;
  if (param !== undefined || OF_A_THING.test(message.replaceAll(path, ''))) return false;
  return [code, type].every((name) => name === undefined || OF_A_PATH.test(name));
}

function faultOf(body: string): UpstreamFault | undefined {
  try {
    return readFault(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** A body once more from its beginning. */
function again(pieces: Uint8Array[], rest: UpstreamAnswer['body']): UpstreamAnswer['body'] {
  return {
    next: () => {
      const value = pieces.shift();
      return value === undefined ? rest.next() : Promise.resolve({ done: false, value });
    },
    return: async () => {
      pieces.length = 0;
      await rest.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
