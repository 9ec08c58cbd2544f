import { mayServe } from '../../address/index.js';
import { createTelemetry, TELEMETRY_OFF, withTelemetryEnv, type Telemetry } from '../../telemetry/index.js';
import type { GatewaySetup } from '../actors/gateway-shared-state.js';
import type { GatewayConfig } from '../config/index.js';
import type { RelayHost } from './relay-host.js';

/** The telemetry of a gateway, which sends nothing yet. */
export function createGatewayTelemetry(
  { gatewayId }: Pick<GatewayConfig, 'gatewayId'>,
  { build, clock, now, log, readSecret, telemetryEnv = {} }: GatewaySetup,
  metrics: RelayHost['metrics'],
): Telemetry {
  return createTelemetry({
    version: build,
    instanceId: gatewayId,
    env: telemetryEnv,
    readSecret: (source, what) => readSecret(source, { what, code: 'telemetry_invalid' }),
    metrics,
    mayConnect: mayServe,
    clock,
    now,
    log,
  });
}

/** Merges the environment over a file. Errors, at once and never by a file: `telemetry_invalid`. */
export function environmentOver({
  telemetryEnv = {},
}: Pick<GatewaySetup, 'telemetryEnv'>): (config: GatewayConfig) => GatewayConfig {
  withTelemetryEnv(TELEMETRY_OFF, telemetryEnv);
  return (config) => ({ ...config, telemetry: withTelemetryEnv(config.telemetry, telemetryEnv) });
}
