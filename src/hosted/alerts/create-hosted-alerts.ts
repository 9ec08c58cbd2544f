import { mayServe } from '../../address/index.js';
import { createAlerts, type Alerts } from '../../alerts/index.js';
import type { Caller } from '../../billing/index.js';
import type { HostedSetup } from '../actors/node-shared-state.js';
import type { Service } from '../service/open-service.js';
import type { HostedRecord } from '../serving/hosted-route.js';
import { lookAtHosted, type HostedReadings } from './look-at-hosted.js';

/**
 * The alerts of a node, without a webhook yet. The database has the sent alerts: nodes that share it send nothing
 * twice.
 */
export function createHostedAlerts(
  { serviceId, database, lookUpAll }: Pick<Service, 'serviceId' | 'database' | 'lookUpAll'>,
  { clock, now, log, readSecret }: Pick<HostedSetup, 'clock' | 'now' | 'log' | 'readSecret'>,
  readings: HostedReadings,
): Alerts<Caller> {
  return createAlerts({
    source: { product: 'hosted-api', id: serviceId },
    openDatabase: async () => database,
    ownsDatabase: false,
    mayConnect: mayServe,
    lookUpAll,
    readSecret,
    look: (watch, touched) => lookAtHosted(readings, watch, touched),
    clock,
    now,
    log,
  });
}

/** Notes a request that is over: it may have used much, or its key was wrong. */
export function observeRequest(alerts: Alerts<Caller>, { caller, error }: HostedRecord): void {
  if (caller !== undefined) alerts.touch(caller.key.id, caller, error?.code);
  else if (error?.code === 'invalid_api_key') alerts.failSignIn('api');
}
