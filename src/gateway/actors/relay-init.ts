import type { MessagePort } from 'node:worker_threads';
import { systemClock, type Clock, type CodeTable, unixMs } from '../../base/index.js';
import type { HttpLimits, TransportChoice } from '../../http/index.js';
import { createMeterClient, openMeterLink } from '../../metering/index.js';
import type { GatewayConfig } from '../config/index.js';
import type { Credentials } from '../routing/upstream-pool.js';
import type { MeterAccess } from '../serving/gateway-route.js';
import type { RuntimeState } from '../serving/gateway-state.js';
import type { RelayHost } from '../serving/relay-host.js';
import { connectRelayHost } from './relay-host-port.js';

/** Options of a relay: plain data, and the ports to its meter and its host. */
export interface RelayInit {
  readonly config: GatewayConfig;
  readonly credentials: Credentials;
  readonly health: readonly RuntimeState[];
  readonly codes: Readonly<Record<string, CodeTable>>;
  readonly build: string;
  readonly transport: TransportChoice;
  readonly uwsDirectory: string | undefined;
  readonly httpLimits: Partial<HttpLimits> | undefined;
  /** Listens beside other threads on the same port. */
  readonly sharesPort: boolean;
  readonly ways: LocalWays | RemoteWays;
}

/** Of a relay in the thread of the meter. */
export interface LocalWays {
  readonly meter: MeterAccess;
  readonly host: RelayHost;
  readonly clock: Clock;
  readonly now: () => number;
}

/** Options of a relay on its own thread. */
export interface RemoteWays {
  readonly meterPort: MessagePort;
  readonly hostPort: MessagePort;
}

/** Opens the ways of a relay, in any thread. */
export async function openWays(ways: RelayInit['ways']): Promise<LocalWays> {
  if ('meter' in ways) return ways;
  const host = connectRelayHost(ways.hostPort);
  const log = host.log.bind(host);
  const meter = createMeterClient(openMeterLink(ways.meterPort), { now: unixMs, log });
  await meter.ready;
  return { meter, host, clock: systemClock, now: unixMs };
}
