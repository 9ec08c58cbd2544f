// What every room may use and no room owns. No domain word in here.
export { alignUp } from './align.js';
export { assert, present } from './assert.js';
export { waitFor, type WaitOptions } from './abort.js';
export { BoundedQueue } from './bounded-queue.js';
export { systemClock, type Clock } from './clock.js';
export { usableCores } from './cores.js';
export { describe } from './describe.js';
export {
  AppError,
  baseCodes,
  codeOf,
  fromErrorData,
  invalidValue,
  isAppError,
  isError,
  toErrorData,
  type CodeTable,
  type ErrorData,
  type ErrorDetails,
} from './errors.js';
export { median } from './median.js';
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
export { nearest, suggestion } from './suggest.js';
