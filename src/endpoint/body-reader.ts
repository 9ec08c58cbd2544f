import {
  AppError,
  createThreadPool,
  fromErrorData,
  restoreKeyOrders,
  waitFor,
  type ThreadPool,
} from '../base/index.js';
import type { HttpRequest } from '../http/index.js';
import type { BodyJob, BodyResult } from './body-thread.js';
import type { JsonBody } from './body-type.js';
import { readJson } from './read-json.js';

/** A thread reads larger bodies: 32 MB of text take 25 to 120 ms, which would block every stream. */
const THREAD_FROM_BYTES = 128 * 1024;
/** The most bodies that may wait for the thread: the length of the engine's queue. */
const MAX_WAITING = 512;
/** Room for the largest body, 64 MB, as text and as a value. */
const HEAP_MB = 512;
/** The thread ends after this time without a large body. */
const IDLE_MS = 10_000;

/** Accepted content types. `curl -d` sends JSON as a form. The check of Origin refuses other sites that send text. */
const READ_AS_JSON = /^(application\/(?:[\w.-]+\+)?json|text\/json|text\/plain|application\/x-www-form-urlencoded)$/;

/** Reads the bodies of requests. Disposing of the reader ends its thread. */
export interface BodyReader extends AsyncDisposable {
  /**
   * Reads the body of a request. A large body is transferred to the thread, so the request's buffer may be empty
   * afterwards. Errors: `unsupported_media_type`, `json_parse_error`, those of its fields, `overloaded`, the reason of
   * the request's signal.
   */
  read<T>(type: JsonBody<T>, request: Pick<HttpRequest, 'headers' | 'body' | 'signal'>): Promise<T>;
}

/** Creates a reader. Its thread starts with the first large body. */
export function createBodyReader(): BodyReader {
  let opening: Promise<ThreadPool<BodyJob, BodyResult>> | undefined;

  const onThread = async (job: BodyJob): Promise<BodyResult> => {
    opening ??= createThreadPool<BodyJob, BodyResult>({
      file: 'dist/src/endpoint/body-thread.js',
      minThreads: 0,
      maxThreads: 1,
      maxQueue: MAX_WAITING,
      idleTimeoutMs: IDLE_MS,
      heapMb: HEAP_MB,
    });
    const pool = await opening;
    if (pool.queueSize >= MAX_WAITING) {
      const message = `${MAX_WAITING} large bodies wait to be read already; try again later`;
      throw new AppError('overloaded', message, { limit: MAX_WAITING });
    }
    return pool.run(job, { name: 'run', transferList: [job.bytes.buffer as ArrayBuffer] });
  };

  return {
    async read({ sources, parse, mayLack }, { headers, body, signal }) {
      if (mayLack === true && body.length === 0) return parse({}, {});
      checkType(headers.get('content-type'));
      if (body.length < THREAD_FROM_BYTES) {
        const small = readJson(body, sources);
        return parse(small.value, small.sources);
      }
      // The transfer of a view would take its whole, larger buffer along.
      const bytes = body.length === body.buffer.byteLength ? body : body.slice();
      const result = await waitFor(onThread({ bytes, sources }), 'the reading of a body', { signal });
      if ('error' in result) throw fromErrorData(result.error);
      restoreKeyOrders(result.orders);
      return parse(result.value, result.sources);
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.destroy();
    },
  };
}

/** Errors: `unsupported_media_type`. */
function checkType(contentType = 'application/json'): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset="?([\w-]+)"?\s*$/.exec(parameter)?.[1]).find(Boolean);
  if (READ_AS_JSON.test(type.trim()) && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return;
  const message = 'the content-type of the body is not JSON in UTF-8; send application/json';
  throw new AppError('unsupported_media_type', message, { param: null });
}
