import { AppError } from '../base/index.js';

/** Takes `count` places until it is disposed of. Errors: `overloaded`. */
export type Admit = (count: number) => Disposable;

/**
 * Places for the sequences of one model: as many as its engine lets run and wait. A request takes its own before its prompt
 * is rendered, so that one too many is refused at once and not by an engine in the middle of a step.
 */
export function createAdmission(limit: number): Admit {
  let taken = 0;
  return (count) => {
    if (taken + count > limit) {
      const message = `${taken} sequences run or wait already and ${count} more were asked for; the limit is ${limit}; try again later`;
      throw new AppError('overloaded', message, { limit, taken });
    }
    taken += count;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) taken -= count;
        isHeld = false;
      },
    };
  };
}
