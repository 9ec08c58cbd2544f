import { Type } from '../../schema/index.js';
import { MAX_STOP_LENGTH, MAX_STOPS } from '../limits.js';

/** Limit of an answer's tokens. -1: no limit, as without the field; 0 is refused. */
export const TokenLimit = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });

/** A text at which an answer ends. */
export const StopString = Type.String({ minLength: 1, maxLength: MAX_STOP_LENGTH });

/** One of them, or several. */
export const StopStrings = Type.Union([StopString, Type.Array(StopString, { maxItems: MAX_STOPS })]);
