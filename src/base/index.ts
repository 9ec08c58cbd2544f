// Tools that every module may use and that belong to no subject. No domain term in here.
export { alignUp } from './align.js';
export { assert, present } from './assert.js';
export { abortableStream, endingStream } from './abortable-stream.js';
export { waitFor, type WaitOptions } from './abort.js';
export { BoundedQueue } from './queues/bounded-queue.js';
export { TurnBudget } from './queues/turn-budget.js';
export { Turns } from './queues/turns.js';
export { findCacheDirectory } from './files/cache-directory.js';
export { every, holdingClock, parseMoment, parseTime, sleep, systemClock, unixMs, type Clock } from './clock.js';
export { toCsvLine, toCsvTable, type CsvCell, type CsvColumns, type CsvTable } from './csv.js';
export { parseDecimal, toDecimal } from './decimal.js';
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
export { checkDiskRoom } from './files/disk-room.js';
export { fileErrorReason, throwFileError, toFileError, type WrittenBytes } from './files/file-errors.js';
export { hidePaths } from './files/hide-paths.js';
export { bootId } from './files/boot-id.js';
export { isFree, lockOwner, tryLock, waitForLock, type FileLock } from './files/file-lock.js';
export { partialPath, replaceFile, syncDirectory, writeDurably } from './files/write-file.js';
export { findHome } from './files/home.js';
export { readBoundedFile } from './files/read-bounded-file.js';
export { endOfJsonString, itemSources, memberSources } from './json/json-source.js';
export { JsonNumber, readExactJson } from './json/exact-json.js';
export {
  entriesInOrder,
  keyOrdersOf,
  keysInOrder,
  mapInOrder,
  parseInOrder,
  restoreKeyOrders,
  stringifyInOrder,
  type KeyOrder,
} from './json/key-order.js';
export { findJsonToken, type JsonPosition, type JsonToken } from './json/json-places.js';
export { isJsonObject, type JsonObject } from './json/json-object.js';
export { areWellFormed, isJoined, joinedText, joinTexts, TextJoiner, type JoinedTexts } from './joined-texts.js';
export { makeDirectory } from './files/make-directory.js';
export { releaseHeapWhenIdle } from './process/idle-heap.js';
export { createUtilizationMeter } from './process/loop-utilization.js';
export { releaseMemory } from './process/release-memory.js';
export { giveWayIfAsked, giveWayToAll, letActorsGiveWay } from './process/thread-priority.js';
export { keepYoungHeapSmall } from './process/young-heap.js';
export { locate } from './locate.js';
export { createLogger, type LogEntry, type Logger, type LoggerOptions, type LogLevel } from './logger.js';
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
export { parseStrictJson, type JsonLimits } from './json/strict-json.js';
export { suggestion } from './suggest.js';
export { createThreadPool, type ThreadPool } from './thread-pool.js';
export { createSlabEncoder, decodedLength, secondByteRange } from './utf8.js';
export { VERSION } from './version.js';
