import { AppError } from '../../base/index.js';

/**
 * Counts the work of reading a text and of making masks, so that a grammar with too many readings is refused instead of
 * waited for. A unit is some 10 ns. Cached results cost nothing again.
 */
export class WorkMeter {
  /** Units that may still be taken. */
  left = Infinity;
  /** Work in parts pauses once no more than this is left. −1: never. */
  pauseAt = -1;

  /** Errors: `grammar_too_slow`. */
  take(units: number): void {
    this.left -= units;
    if (this.left < 0) throw tooSlow();
  }
}

/** The refusal of a grammar for what its texts cost. */
export function tooSlow(): AppError {
  const message =
    'the grammar can be read in too many ways, so that its next tokens are not found in time; ' +
    'make it less ambiguous, above all its alternatives that begin alike and its repetitions within each other';
  return new AppError('grammar_too_slow', message, {});
}
