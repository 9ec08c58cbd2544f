import { AppError } from '../../base/index.js';

/** Steps that compiling one grammar may take: below half a second of work on one core. */
export const MAX_STEPS = 6_000_000;
/** States that one automaton may have before it is spelled as bytes. */
export const MAX_STATES = 20_000;

/** The rest of one compilation's limit of work. Counted in steps and not in time, so that it is deterministic. */
export interface WorkBudget {
  /** Takes `steps` away. Errors: `grammar_too_large` when none are left. */
  readonly spend: (steps: number) => void;
  /** Steps that are left. */
  readonly left: () => number;
}

/** A budget of `maxSteps`. */
export function createBudget(maxSteps: number = MAX_STEPS): WorkBudget {
  let left = maxSteps;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) throw automatonTooLarge('steps of compilation', maxSteps);
    },
    left: () => left,
  };
}

/** The error for a grammar that needs more of something than its limit. */
export function automatonTooLarge(what: string, limit: number): AppError {
  return new AppError(
    'grammar_too_large',
    `the grammar needs more than ${limit} ${what}; use smaller bounds, shorter patterns or fewer alternatives`,
    { what, limit },
  );
}
