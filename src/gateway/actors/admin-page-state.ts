import type { AuditEvent, Meter } from '../../metering/index.js';
import type { AdminWays } from '../admin/admin-context.js';
import { ScanJobs } from '../admin/scans/scan-jobs.js';
import { AttemptLimit } from '../admin/sessions/attempt-limit.js';
import { Sessions } from '../admin/sessions/sessions.js';
import { LastCheck } from '../admin/files/last-check.js';
import { measureEventLoopDelay } from '../admin/system/event-loop-delay.js';
import { boundHeap } from '../admin/system/heap-bound.js';
import type { OwnListener } from '../../address/index.js';
import type { LoopbackPlace } from '../../endpoint/index.js';
import type { AdminPageState, AdminSetup, GatewaySetup } from './gateway-shared-state.js';

/** Options of the state of the admin page. */
export interface AdminPageStateOptions {
  readonly admin: AdminSetup;
  /** Where the file wants it; `admin` may set another port. */
  readonly filePlace: LoopbackPlace;
  readonly setup: GatewaySetup;
  readonly meter: Meter;
  readonly ways: AdminWays;
  readonly audit: (event: Omit<AuditEvent, 'actor'>) => void;
  /** A token was wrong, or was not looked at since too many were. */
  readonly onWrongToken: () => void;
  /** Listeners of the gateway for clients. */
  readonly own: () => readonly OwnListener[];
}

/** Sessions, scans and limits of the admin page. A new admin token, or none, ends all sessions. */
export function createAdminPageState({
  admin,
  filePlace,
  setup,
  meter,
  ways,
  audit,
  onWrongToken,
  own,
}: AdminPageStateOptions): AdminPageState {
  const { clock, now } = setup;
  const { port = filePlace.port, idleMs, absoluteMs } = admin;
  const sessions = new Sessions({
    clock,
    ...(idleMs !== undefined && { idleMs }),
    ...(absoluteMs !== undefined && { absoluteMs }),
    onEnd: ({ name }, reason) => audit({ action: 'session.end', target: `session:${name}`, outcome: 'ok', reason }),
  });
  meter.adminToken.onChanged((why) => sessions.endAll(why));
  const page: AdminPageState = {
    place: { host: filePlace.host, port },
    ways,
    state: {
      sessions,
      signInLimit: new AttemptLimit(clock, onWrongToken),
      tokenLimit: new AttemptLimit(clock, onWrongToken),
      scans: new ScanJobs({ clock, now, own: () => [...own(), page.place] }),
      delay: measureEventLoopDelay(),
      heap: boundHeap(clock),
      checked: new LastCheck(),
    },
  };
  return page;
}
