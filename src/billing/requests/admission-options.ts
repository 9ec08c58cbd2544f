import type { Clock, LogEntry } from '../../base/index.js';
import type { StepCommitter } from '../books/committer.js';
import type { HeldRequest } from '../books/held-request.js';
import type { Settlement } from '../books/settlement.js';
import type { RateLimits } from '../limits/rate-limits.js';
import type { Allowances } from '../nodes/allowances.js';
import type { Recall } from '../nodes/recall.js';

/** Options of admission. */
export interface AdmissionOptions {
  readonly committer: StepCommitter;
  readonly allowances: Allowances;
  readonly recall: Recall;
  readonly limits: RateLimits;
  readonly clock: Clock;
  readonly now: () => number;
  /** Milliseconds since 1970 that jumps of the machine's clock do not move. */
  readonly steadyMs: () => number;
  readonly log: (entry: LogEntry) => void;
  readonly sliceTokens: number;
  /** Tokens reserved for an answer that cannot be cut and has no bound. */
  readonly wholeTokens: number;
  /** How long a request may take at most. */
  readonly maxStreamMs: number;
  /** Writes how a request ended, into the database or the outbox. */
  readonly settle: (settlement: Settlement) => Promise<void>;
  /** The requests of this node that are under way. */
  readonly open: Map<string, HeldRequest>;
}
