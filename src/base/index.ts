// What every room may use and no room owns. No domain word in here.
export { alignUp } from './align.js';
export { assert, present } from './assert.js';
export { abortableStream, endingStream } from './abortable-stream.js';
export { waitFor, type WaitOptions } from './abort.js';
export { BoundedQueue } from './bounded-queue.js';
export { findCacheDirectory } from './cache-directory.js';
export { systemClock, type Clock } from './clock.js';
export { usableCores } from './cores.js';
export { describe } from './describe.js';
export { createKindOf, type CodeTable, type ErrorKind, type KindOf } from './error-codes.js';
export {
  AppError,
  baseCodes,
  codeOf,
  fromErrorData,
  hasErrorCode,
  invalidValue,
  isAppError,
  isError,
  toErrorData,
  toMemoryError,
  type ErrorData,
  type ErrorDetails,
} from './errors.js';
export { fileErrorReason, throwFileError, toFileError, type WrittenBytes } from './file-errors.js';
export { findHome } from './home.js';
export { endOfJsonString, memberSources } from './json-source.js';
export { findJsonToken, type JsonPlace, type JsonToken } from './json-places.js';
export { makeDirectory } from './make-directory.js';
export { median } from './median.js';
export { nearest, nearestOf } from './nearest.js';
export { processArguments, threadArguments } from './node-arguments.js';
export {
  atLeast,
  callback,
  checkedLater,
  checkOptions,
  flag,
  oneOf,
  signal,
  text,
  unknownName,
  whole,
  type Checked,
  type OptionRule,
  type OptionTable,
} from './options.js';
export { randomAt, randomKey } from './random.js';
export { parseStrictJson, type JsonLimits } from './strict-json.js';
export { suggestion } from './suggest.js';
export { decodedLength, secondByteRange } from './utf8.js';
