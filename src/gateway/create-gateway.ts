import { renderAlerts, type Alerts } from '../alerts/index.js';
import { createSupervisor, type Ref, type Supervisor, type TreeNode } from '../actor/index.js';
import { AppError, hidePaths, present, toErrorData, type ErrorData } from '../base/index.js';
import { heading, sample, toPageUrl } from '../endpoint/index.js';
import {
  changesSinceLast,
  compareFiles,
  keepLast,
  openMeter,
  type FileChanges,
  type Meter,
} from '../metering/index.js';
import { createGatewayAlerts, observeRequest } from './alerts/create-gateway-alerts.js';
import { configFacts } from './audit/config-facts.js';
import { createGatewayTelemetry, environmentOver } from './serving/create-gateway-telemetry.js';
import type { AdminWays } from './admin/admin-context.js';
import { createAdminPageState } from './actors/admin-page-state.js';
import type { AdminSetup, GatewaySharedState, GatewaySetup } from './actors/gateway-shared-state.js';
import type { RelayHost } from './serving/relay-host.js';
import { planRelays, toGatewayTree, type Relays } from './actors/gateway-tree.js';
import { LEDGER } from './actors/ledger-actor.js';
import { PROBES } from './actors/probe-actor.js';
import type { RelayActor } from './actors/relay-actor.js';
import { toAuthority, watchGatewayConfig, type GatewayConfig, type ReloadOutcome } from './config/index.js';
import { findUncounted } from './routing/counted-budgets.js';
import { readCredentials } from './routing/upstream-pool.js';
import { checkKey } from './serving/check-key.js';
import { mergeTargets } from './serving/merge-targets.js';
import { mergeMetrics } from './serving/merge-metrics.js';

/** A gateway at work. Disposing of it ends all requests at once. */
export interface Gateway extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly transport: string;
  /** The URL of the admin page; undefined: there is none. */
  readonly adminUrl: string | undefined;
  /** The ledger, for commands of the operator. */
  readonly meter: Meter;
  tree(): TreeNode;
  /** Looks at the file now, as on SIGHUP. */
  reload(): Promise<ReloadOutcome>;
  /** Refuses new requests, and lets requests under way go on for the time of the file, or `graceMs`. */
  drain(graceMs?: number): Promise<void>;
}

/** Starts the gateway of the file at `path`. Errors: those of the file, of the meter and of the listener. */
export async function createGateway(path: string, setup: GatewaySetup): Promise<Gateway> {
  const { log, clock } = setup;
  const startedMs = clock.nowMs();
  const withEnv = environmentOver(setup);
  let supervisor: Supervisor | undefined;
  let refusedConfig: string | undefined;
  let changes: Promise<unknown> = Promise.resolve();
  const watcher = await watchGatewayConfig(path, {
    clock,
    onOutcome: (outcome) => void (changes = changes.then(() => take(outcome))),
  });
  const config = withEnv(watcher.inUse.config);
  // The file as the audit log last had it.
  let lastFacts = configFacts(watcher.inUse.config);
  const alerts = createGatewayAlerts(config, setup, () => ({ meter, health: () => shared.health.values() }));
  const meter = await openLedger(config, setup, alerts).catch(async (error: unknown) => {
    await watcher[Symbol.asyncDispose]();
    throw error;
  });
  // The file changed while no gateway ran. The gateway starts and warns its operator.
  const uncounted = findUncounted(meter.keys(), config.models);
  if (uncounted !== undefined) log({ event: 'budgets count nothing', level: 'warn', message: uncounted });
  const running = (): Supervisor => {
    // The listener is open before the actors that come after it.
    if (supervisor === undefined) throw new AppError('starting', 'the gateway is starting; send the request again');
    return supervisor;
  };
  const refs = (): readonly Ref<RelayActor>[] => relays?.keys.map((key) => running().ref(key)) ?? [];
  const shared: GatewaySharedState = {
    setup,
    configPath: path,
    reload: () => reload(),
    config,
    meter,
    alerts,
    admin: undefined,
    audit: () => {},
    verify: async () => undefined,
    health: new Map(),
    onHealth: (state) => {
      // A relay that is being restarted gets all of it then.
      if (supervisor !== undefined) for (const ref of refs()) ref.setHealth([state]).catch(() => {});
    },
  };
  const relayHost: RelayHost = {
    check(keyId, parallelRequests) {
      checkKey(keyId, parallelRequests, meter);
    },
    isAdmin: (secret) => meter.adminToken.check(secret),
    prove: (runtimeId) => running().ref(PROBES).prove(runtimeId),
    state: () => ({
      uptimeMs: clock.nowMs() - startedMs,
      runtimes: [...shared.health.values()],
      tree: running().tree(),
      refusedConfig,
    }),
    metrics: async () => mergeMetrics(await Promise.all(refs().map((ref) => ref.metrics()))) + renderOwn(shared),
    logLine: setup.logLine,
    log,
    trace: (spans) => telemetry.trace(spans),
  };
  const telemetry = createGatewayTelemetry(config, setup, relayHost.metrics);

  /** Takes up a changed file. If that fails, the gateway keeps the file before, and logs it. */
  async function take(outcome: Exclude<ReloadOutcome, { state: 'unchanged' }>): Promise<void> {
    if (outcome.state === 'refused') return refuse(outcome.error);
    const before = shared.config;
    const { needRestart, inUse } = outcome;
    const message = findUncounted(meter.keys(), inUse.config.models);
    if (message !== undefined) return refuse({ code: 'gateway_config_invalid', message, details: {} });
    // Fields that are taken once stay as they are until the next start.
    const { gatewayId, listen, dataDir, admin } = before;
    try {
      shared.config = { ...withEnv(inUse.config), gatewayId, listen, dataDir, admin };
      const credentials = await readCredentials(shared.config.runtimes, setup.readSecret);
      const webhooks = await alerts.prepare(shared.config.alerts.webhooks);
      const collector = await telemetry.prepare(shared.config.telemetry);
      await running().ref(PROBES).probeChanged();
      const health = [...shared.health.values()];
      await Promise.all(refs().map((ref) => ref.reload(shared.config, credentials, health)));
      if (relays !== undefined) relays.credentials = credentials;
      await running().ref(LEDGER).reload();
      alerts.use(webhooks);
      telemetry.use(collector);
    } catch (error) {
      shared.config = before;
      return refuse(toErrorData(error));
    }
    refusedConfig = undefined;
    log({ event: 'config reloaded', needs_restart: needRestart });
    const facts = configFacts(inUse.config);
    audit('ok', '', compareFiles(lastFacts, facts));
    lastFacts = facts;
    await keep();
    running()
      .ref(PROBES)
      .probe()
      .catch(() => {});
  }

  const refuse = (error: ErrorData): void => {
    const { code, message } = error;
    // /health shows it over the network.
    refusedConfig = hidePaths(error).message;
    log({ event: 'config refused', code, message });
    audit('refused', code);
  };

  const reload = async (): Promise<ReloadOutcome> => {
    const outcome = await watcher.reload();
    // A refused file may be usable now although it is unchanged: for instance, a missing secret exists now.
    if (outcome.state === 'unchanged' && refusedConfig !== undefined) {
      changes = changes.then(() => take({ state: 'changed', inUse: watcher.inUse, needRestart: [] }));
    }
    await changes;
    return outcome;
  };

  const drain = async (graceMs = shared.config.limits.drainMs): Promise<void> => {
    await Promise.all(refs().map((ref) => ref.drain(graceMs)));
  };

  const createWays = ({ stop }: AdminSetup): AdminWays => {
    let drained: 'serving' | 'draining' | 'drained' = 'serving';
    return {
      tree: () => running().tree(),
      uptimeMs: () => clock.nowMs() - startedMs,
      listens: () => toAuthority({ ...shared.config.listen, port: relays?.port ?? 0 }),
      inUse: () => watcher.inUse,
      refused: () => refusedConfig,
      reload,
      startDrain(graceMs, stops) {
        drained = drained === 'drained' ? drained : 'draining';
        const ended = drain(graceMs).then(() => {
          drained = 'drained';
          if (stops) stop?.();
        });
        ended.catch((error: unknown) => log({ event: 'drain failed', code: toErrorData(error).code }));
      },
      drainState: () => drained,
      running: async () =>
        (await Promise.all(refs().map((ref) => ref.running()))).reduce((sum, count) => sum + count, 0),
      targets: async () => mergeTargets(await Promise.all(refs().map((ref) => ref.targets()))),
      tryModel: (...asked) => present(refs()[0], 'there is a relay').tryModel(...asked),
    };
  };

  const audit = (outcome: 'ok' | 'refused', reason: string, changed?: FileChanges): void =>
    shared.audit({ action: 'config.reload', target: 'config', outcome, reason, diff: { ...changed } });

  const keep = (): Promise<void> =>
    keepLast(watcher.inUse.config.dataDir, lastFacts).catch((error: unknown) => {
      log({ event: 'last file not kept', code: toErrorData(error).code });
    });

  let relays: Relays | undefined;
  try {
    await auditStart(watcher.inUse.config, meter, setup);
    await keep();
    const { isEnabled, ...filePlace } = shared.config.admin;
    if (setup.admin !== undefined && (setup.admin.followsFile !== true || isEnabled)) {
      // Without a token that can be trusted nothing listens, not even for clients.
      meter.adminToken.requireIssued();
      shared.admin = createAdminPageState({
        admin: setup.admin,
        filePlace,
        setup,
        meter,
        ways: createWays(setup.admin),
        audit: (event) => shared.audit(event),
        onWrongToken: () => alerts.failSignIn('admin'),
        own: () => [{ host: shared.config.listen.host, port: relays?.port ?? shared.config.listen.port }],
      });
    }
    relays = await planRelays(shared);
    alerts.use(await alerts.prepare(config.alerts.webhooks));
    telemetry.use(await telemetry.prepare(config.telemetry));
    supervisor = await createSupervisor(toGatewayTree(shared, relays, relayHost), (event) => {
      if (event.type !== 'started' || event.restarts > 0) log({ event: 'actor', actor: event.id, what: event.type });
    });
  } catch (error) {
    await watcher[Symbol.asyncDispose]();
    await alerts[Symbol.asyncDispose]();
    await meter[Symbol.asyncDispose]();
    throw error;
  }
  const { host, port, transport } = await present(refs()[0], 'there is a relay').address();
  relays.port = port;
  return {
    host,
    port,
    transport,
    meter,
    get adminUrl() {
      return shared.admin && toPageUrl(shared.admin.place);
    },
    tree: () => running().tree(),
    reload,
    drain,
    async [Symbol.asyncDispose]() {
      await watcher[Symbol.asyncDispose]();
      await changes;
      await telemetry[Symbol.asyncDispose]();
      await shared.admin?.state.scans.cancelAll();
      await running().stop();
      shared.admin?.state.delay[Symbol.dispose]();
      await alerts[Symbol.asyncDispose]();
      await meter[Symbol.asyncDispose]();
    },
  };
}

function renderOwn({ health, alerts }: GatewaySharedState): string {
  const name = 'troupe_gateway_runtime_up';
  const samples = Array.from(health.values(), ({ id, isHealthy }) => sample(name, { runtime: id }, isHealthy ? 1 : 0));
  return (
    heading(name, 'gauge', 'Whether a runtime gets requests.') +
    samples.join('') +
    renderAlerts('troupe_gateway', alerts.states())
  );
}

/** Opens the ledger of a file, and logs how it settled reservations of a dead process. Errors: those of `openMeter`. */
async function openLedger(
  { dataDir, retention }: GatewayConfig,
  { clock, now, log }: GatewaySetup,
  alerts: Alerts<undefined>,
): Promise<Meter> {
  const { requestLogDays: requestDays, auditDays } = retention;
  const meter = await openMeter({
    directory: dataDir,
    clock,
    now,
    log,
    retention: { requestDays, auditDays },
    onRequest: (row) => observeRequest(alerts, row),
  });
  const { settled, voided } = meter.recovered;
  if (settled + voided > 0) log({ event: 'reservations recovered', settled, voided });
  return meter;
}

/** Writes changes of the file made while no gateway ran into the audit log. A start does not depend on it. */
async function auditStart(config: GatewayConfig, { audit }: Meter, { log }: GatewaySetup): Promise<void> {
  const diff = await changesSinceLast(config.dataDir, configFacts(config));
  if (diff.changes.length === 0) return;
  const event = { actor: { kind: 'system' }, action: 'config.reload', target: 'config', outcome: 'ok' } as const;
  await audit.append({ ...event, reason: 'start', diff: { ...diff } }).catch((error: unknown) => {
    log({ event: 'audit failed', action: event.action, code: toErrorData(error).code });
  });
}
