import { join } from 'node:path';
import { mayServe } from '../../address/index.js';
import { createAlerts, type Alerts } from '../../alerts/index.js';
import { openSqlite } from '../../database/index.js';
import type { RequestRow } from '../../metering/index.js';
import type { GatewaySetup } from '../actors/gateway-shared-state.js';
import type { GatewayConfig } from '../config/index.js';
import { lookAtGateway, type GatewayReadings } from './look-at-gateway.js';

/** The sent alerts, in the data directory. */
const DATABASE_FILE = 'alerts.sqlite';

/** The alerts of a gateway, without a webhook yet. `readings` is asked when the gateway runs. */
export function createGatewayAlerts(
  { gatewayId, dataDir }: Pick<GatewayConfig, 'gatewayId' | 'dataDir'>,
  { clock, now, log, readSecret }: Pick<GatewaySetup, 'clock' | 'now' | 'log' | 'readSecret'>,
  readings: () => GatewayReadings,
): Alerts<undefined> {
  return createAlerts({
    source: { product: 'private-gateway', id: gatewayId },
    openDatabase: () => openSqlite({ path: join(dataDir, DATABASE_FILE), clock }),
    ownsDatabase: true,
    mayConnect: mayServe,
    readSecret: (source, what) => readSecret(source, { what, code: 'webhook_secret_missing' }),
    look: (watch, touched) => lookAtGateway(readings(), watch, touched),
    clock,
    now,
    log,
  });
}

/** Notes a request that is over: its key may have used much, or its key was wrong. */
export function noteRequest(alerts: Alerts<undefined>, { keyId, errorCode }: RequestRow): void {
  if (keyId !== undefined) alerts.touch(keyId, undefined, errorCode);
  else if (errorCode === 'invalid_api_key') alerts.failSignIn('api');
}
