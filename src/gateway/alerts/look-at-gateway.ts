import type { AlertWatch, Touched } from '../../alerts/index.js';
import type { Meter } from '../../metering/index.js';
import type { RuntimeState } from '../serving/gateway-state.js';

/** The state to check. */
export interface GatewayReadings {
  readonly meter: Pick<Meter, 'usageOf' | 'pages'>;
  /** The last known state of every runtime. */
  readonly health: () => Iterable<RuntimeState>;
}

/**
 * Passes readings to `watch`: the budgets of keys used since the last check, and the state of runtimes. Errors: those
 * of the watch.
 */
export async function lookAtGateway(
  { meter, health }: GatewayReadings,
  watch: AlertWatch,
  touched: Touched<undefined>,
): Promise<void> {
  for (const [keyId, { refusals }] of touched) {
    const key = meter.pages.findKey(keyId);
    // A key that was deleted since has no budget.
    if (key === undefined || key.limits.budgets.length === 0) continue;
    const wasRefused = refusals.has('budget_exceeded');
    for (const budget of meter.usageOf(keyId).budgets) {
      await watch.budget({ keyId, keyName: key.name, wasRefused, ...budget });
    }
  }
  for (const { id, kind, isHealthy, trouble = 'unreachable' } of health()) {
    await watch.standing({
      subject: `runtime ${id}`,
      isDown: !isHealthy,
      down: { type: 'runtime.down', data: { runtime: id, kind, trouble } },
      toUp: (downSeconds) => ({ type: 'runtime.up', data: { runtime: id, kind, down_s: downSeconds } }),
    });
  }
}
