import type { TreeNode } from '../../actor/index.js';
import type { Clock } from '../../base/index.js';
import type { PageFiles } from '../../endpoint/index.js';
import type { Meter } from '../../metering/index.js';
import type { ConfigInUse, GatewayConfig, ReloadOutcome } from '../config/index.js';
import type { RuntimeState } from '../serving/gateway-state.js';
import type { ModelTargets, Tried } from '../serving/model-trial.js';
import type { LastCheck } from './files/last-check.js';
import type { EventLoopDelay } from './system/event-loop-delay.js';
import type { HeapBound } from './system/heap-bound.js';
import type { ScanJobs } from './scans/scan-jobs.js';
import type { AttemptLimit } from './sessions/attempt-limit.js';
import type { Sessions } from './sessions/sessions.js';

/** The functions of the gateway that the admin API calls. */
export interface AdminWays {
  tree(): TreeNode;
  uptimeMs(): number;
  /** Where clients are served, as `host:port`. */
  listens(): string;
  /** The file as the gateway last read it; and the reason why it is not in use, if there is one. */
  inUse(): ConfigInUse;
  refused(): string | undefined;
  /** Looks at the file now. */
  reload(): Promise<ReloadOutcome>;
  /** Refuses new requests of clients. Requests under way may go on for `graceMs`. With `stop` the process then ends. */
  startDrain(graceMs: number, stop: boolean): void;
  drainState(): 'serving' | 'draining' | 'drained';
  /** Requests of clients under way. */
  running(): Promise<number>;
  /** How the targets of all models do. */
  targets(): Promise<readonly ModelTargets[]>;
  /** Sends a message to a model, as a client would. Errors: those of a relay, `model_not_found`. */
  tryModel(model: string, message: string, maxTokens: number): Promise<Tried>;
}

/** State for operators. It outlives the actor that listens. */
export interface AdminState {
  readonly sessions: Sessions;
  /** Limits of signing in and of script tokens. They are apart: a script with an old token blocks no sign-in. */
  readonly signInLimit: AttemptLimit;
  readonly tokenLimit: AttemptLimit;
  readonly scans: ScanJobs;
  readonly delay: EventLoopDelay;
  readonly heap: HeapBound;
  readonly checked: LastCheck;
}

/** State that all requests to the admin API share. */
export interface AdminContext extends AdminState, AdminWays {
  /** The version of the package. */
  readonly build: string;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly meter: Meter;
  /** Where the admin page listens. */
  readonly port: () => number;
  readonly configPath: string;
  /** As the gateway works by it. */
  readonly config: () => GatewayConfig;
  readonly health: () => readonly RuntimeState[];
  /** Undefined: the package was built without it. */
  readonly page: PageFiles | undefined;
}
