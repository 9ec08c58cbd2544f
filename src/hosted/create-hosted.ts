import { createSupervisor, type Supervisor, type TreeNode } from '../actor/index.js';
import { AppError, hidePaths, present, toErrorData, type ErrorData } from '../base/index.js';
import type { Billing } from '../billing/index.js';
import { mayServe } from '../address/index.js';
import { createTelemetry, createTracer, withTelemetryEnv } from '../telemetry/index.js';
import { createFileAudit, type FileAudit } from './audit/audit-file-changes.js';
import { createHostedAlerts } from './alerts/create-hosted-alerts.js';
import { LISTENER } from './actors/listener-actor.js';
import { OPERATOR } from './actors/operator-actor.js';
import type { NodeSharedState, HostedSetup } from './actors/node-shared-state.js';
import { toHostedTree } from './actors/hosted-tree.js';
import { createCatalog } from './catalog/create-catalog.js';
import { watchHostedConfig, type HostedConfig, type HostedOutcome } from './config/index.js';
import { toOperationContext } from './operations/hosted-operator.js';
import { openConnected, type Connected } from './service/open-connected.js';
import { openService, type Service } from './service/open-service.js';
import { createReadiness } from './service/readiness.js';
import { readCredentials, toProviderTable } from './upstreams/provider-table.js';

/** A node of the hosted API at work. Disposing of it ends all requests at once. */
export interface Hosted extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly transport: string;
  /** The address of the operator page, and the file with its token; undefined: there is none. */
  readonly operator: { readonly url: string; readonly tokenPath: string } | undefined;
  readonly billing: Billing;
  tree(): TreeNode;
  /** Looks at the file now, as on SIGHUP. */
  reload(): Promise<HostedOutcome>;
  /** Refuses new requests, and lets requests under way go on for the time of the file, or `graceMs`. */
  drain(graceMs?: number): Promise<void>;
}

/** Starts a node by the file at `path`. Errors: those of the file, of secrets, of the database and of the listener. */
export async function createHosted(path: string, setup: HostedSetup): Promise<Hosted> {
  const { log, clock, now } = setup;
  const startedMs = clock.nowMs();
  let supervisor: Supervisor | undefined;
  let shared: NodeSharedState | undefined;
  let fileAudit: FileAudit | undefined;
  let refusedConfig: string | undefined;
  let changes: Promise<unknown> = Promise.resolve();
  const opened: (AsyncDisposable | Disposable)[] = [];
  const keep = <T extends AsyncDisposable | Disposable>(one: T): T => {
    opened.unshift(one);
    return one;
  };
  const close = async (): Promise<void> => {
    for (const one of opened) await (Symbol.asyncDispose in one ? one[Symbol.asyncDispose]() : one[Symbol.dispose]());
  };
  const running = (): Supervisor => {
    // The listener is open before the actors that come after it.
    if (supervisor === undefined) throw new AppError('starting', 'the node is starting; send the request again');
    return supervisor;
  };
  const withEnv = (read: HostedConfig): HostedConfig => {
    return { ...read, telemetry: withTelemetryEnv(read.telemetry, setup.telemetryEnv ?? {}) };
  };
  const onOutcome = (outcome: Exclude<HostedOutcome, { state: 'unchanged' }>): void =>
    void (changes = changes.then(() => take(outcome)));

  /** Takes up a changed file. If that fails, the node keeps the file before, and logs it. */
  async function take(outcome: Exclude<HostedOutcome, { state: 'unchanged' }>): Promise<void> {
    if (outcome.state === 'refused') return refuse(outcome.error);
    const { needRestart, inUse } = outcome;
    const it = present(shared, 'the node runs');
    try {
      const config = withoutRestart(it.config, withEnv(inUse.config));
      const table = toProviderTable(config, await readCredentials(config.providers, setup.readSecret));
      const webhooks = await it.alerts.prepare(config.alerts.webhooks);
      const collector = await it.telemetry.prepare(config.telemetry);
      it.table = table;
      it.config = config;
      it.alerts.use(webhooks);
      it.telemetry.use(collector);
      it.tracer = createTracer(config.telemetry);
    } catch (error) {
      return refuse(toErrorData(error));
    }
    refusedConfig = undefined;
    log({ event: 'config reloaded', needs_restart: needRestart });
    await fileAudit?.reload(inUse.config, needRestart);
  }

  const refuse = async (error: ErrorData): Promise<void> => {
    const { code, message } = error;
    // /health shows it over the network.
    refusedConfig = hidePaths(error).message;
    log({ event: 'config refused', code, message });
    await fileAudit?.refuse(code);
  };

  try {
    const watcher = keep(await watchHostedConfig(path, { clock, onOutcome }));
    const config = withEnv(watcher.inUse.config);
    // State that money and models depend on exists before anything listens.
    const own = (): HostedConfig['listen'][] => [{ ...config.listen, port: shared?.port ?? config.listen.port }];
    const service: Service = keep(await openService(config, { ...setup, own }));
    const { syncIntervalMs } = config.gateways;
    const connected: Connected = keep(await openConnected(service, { syncIntervalMs, clock, now, log }));
    const { billing } = service;
    const readiness = createReadiness(service.database, clock);
    const { directory } = connected;
    const providers = (): HostedConfig['providers'] => present(shared, 'the node runs').config.providers;
    const catalog = keep(
      createCatalog({ providers, directory, database: service.database, prices: billing.prices, clock, now }),
    );
    const table = toProviderTable(config, await readCredentials(config.providers, setup.readSecret));
    const alerts = keep(
      createHostedAlerts(service, setup, {
        billing,
        lowMicro: () => it.config.alerts.lowMicro,
        upstreams: () => it.upstreams(),
        gateways: () => directory.all(),
      }),
    );
    const telemetry = createTelemetry({
      version: setup.build,
      instanceId: service.serviceId,
      env: setup.telemetryEnv ?? {},
      readSecret: setup.readSecret,
      metrics: () => it.metrics(),
      mayConnect: mayServe,
      lookUpAll: service.lookUpAll,
      clock,
      now,
      log,
    });
    const it: NodeSharedState = {
      setup,
      service,
      connected,
      catalog,
      config,
      table,
      port: config.listen.port,
      alerts,
      telemetry,
      tracer: createTracer(config.telemetry),
      metrics: async () => '',
      upstreams: () => [],
      operations: (by) =>
        toOperationContext(service, connected.sync, {
          config: () => it.config,
          now,
          by,
          node: { state: () => it.state(), upstreams: () => it.upstreams() },
        }),
      state: async () => ({
        uptimeMs: clock.nowMs() - startedMs,
        tree: running().tree(),
        isReady: await readiness(),
        outboxDepth: billing.outboxDepth,
        providers: it.config.providers.length,
        gateways: directory.all().length,
        staleGateways: directory.all().filter(({ staleSinceMs }) => staleSinceMs !== undefined).length,
        refusedConfig,
      }),
    };
    shared = it;
    fileAudit = createFileAudit(watcher.inUse.config, billing.audit, log);
    await fileAudit.start();
    alerts.use(await alerts.prepare(config.alerts.webhooks));
    telemetry.use(await telemetry.prepare(config.telemetry));
    supervisor = await createSupervisor(toHostedTree(it), (event) => {
      if (event.type !== 'started' || event.restarts > 0) log({ event: 'actor', actor: event.id, what: event.type });
    });
    const { host, port, transport } = await supervisor.ref(LISTENER).address();
    const operator = config.operator === undefined ? undefined : await supervisor.ref(OPERATOR).place();
    return {
      host,
      port,
      transport,
      operator,
      billing,
      tree: () => running().tree(),
      async reload() {
        const outcome = await watcher.reload();
        // A refused file may be usable now although it is unchanged: for instance, a missing secret exists now.
        if (outcome.state === 'unchanged' && refusedConfig !== undefined) {
          onOutcome({ state: 'changed', inUse: watcher.inUse, needRestart: [] });
        }
        await changes;
        return outcome;
      },
      drain: (graceMs = it.config.limits.drainMs) => running().ref(LISTENER).drain(graceMs),
      async [Symbol.asyncDispose]() {
        // Its last metrics come from the listener.
        await telemetry[Symbol.asyncDispose]();
        await running().stop();
        await changes;
        await close();
      },
    };
  } catch (error) {
    await supervisor?.stop();
    await close();
    throw error;
  }
}

/** A changed file with the fields of before that are taken once, when a node starts. */
function withoutRestart(before: HostedConfig, after: HostedConfig): HostedConfig {
  const { listen, basePaths, publicUrls, metricsFrom, dataDir, database, valkey, secret, gateways, operator } = before;
  return {
    ...after,
    listen,
    basePaths,
    publicUrls,
    metricsFrom,
    dataDir,
    database,
    valkey,
    secret,
    gateways,
    operator,
  };
}
