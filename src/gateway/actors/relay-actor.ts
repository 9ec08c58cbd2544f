import { Actor } from '../../actor/index.js';
import { AppError, createKindOf, present, systemClock } from '../../base/index.js';
import {
  createBodyReader,
  createErrorFormat,
  createHandler,
  describeFailure,
  openApiRoute,
  type EndedRequest,
} from '../../endpoint/index.js';
import { listen, type Listener } from '../../http/index.js';
import {
  createLiveRequests,
  createRelayMetrics,
  createUsageAsking,
  traceOf,
  type UsageAsking,
} from '../../relay-serving/index.js';
import { createTracer, type Tracer } from '../../telemetry/index.js';
import type { GatewayConfig } from '../config/index.js';
import { createLackedApis, type LackedApis } from '../routing/lacked-apis.js';
import { EMPTY_TABLE, findRoutedModel, toRoutingTable, type RoutingTable } from '../routing/routing-table.js';
import { readSaltSecret } from '../routing/salt-secret.js';
import { createUpstreamPool, type Credentials, type UpstreamPool } from '../routing/upstream-pool.js';
import { withGatewayId } from '../serving/gateway-response.js';
import type { GatewayContext, GatewayRecord, GatewayRoute } from '../serving/gateway-route.js';
import type { RuntimeState } from '../serving/gateway-state.js';
import { tryModel, type ModelTargets, type Tried } from '../serving/model-trial.js';
import { renderRelayState } from '../serving/relay-state.js';
import { toGatewayLogLine, toRequestRow } from '../serving/request-entry.js';
import { createRoutes } from '../serving/routes/index.js';
import { openWays, type LocalWays, type RelayInit } from './relay-init.js';

/** Bodies that the listener takes at the most; each request is held to the limit of the file. */
const MAX_BODY_BYTES = 1024 * 1024 * 1024;
/** How long after the last events of a drain connections may take to end. */
const LAST_WORDS_MS = 1_000;
const TITLE = {
  title: 'Troupe private gateway',
  description: 'One entrance to the model servers of its gateway.yaml. Every path but /health and /ready needs a key.',
};

/** Listens, and relays requests to runtimes. Several relays may share a port, each on its own thread. */
export class RelayActor extends Actor {
  readonly #init: RelayInit;
  readonly #live = createLiveRequests();
  readonly #metrics = createRelayMetrics<GatewayRecord>({
    prefix: 'troupe_gateway',
    label: 'runtime',
    upstreamOf: ({ runtimeId }) => runtimeId,
  });
  readonly #bodies = createBodyReader();
  readonly #lacked: LackedApis;
  #config: GatewayConfig;
  #table: RoutingTable = EMPTY_TABLE;
  #ways: LocalWays | undefined;
  #usageAsking: UsageAsking | undefined;
  #upstreams: UpstreamPool | undefined;
  #listener: Listener | undefined;
  #tracer: Tracer | undefined;
  #stopListening = (): void => {};

  constructor(init: RelayInit) {
    super();
    this.#init = init;
    this.#lacked = createLackedApis(systemClock);
    this.#config = init.config;
  }

  override async started(): Promise<void> {
    const ways = await openWays(this.#init.ways);
    this.#ways = ways;
    this.#usageAsking = createUsageAsking(ways.clock);
    this.#upstreams = createUpstreamPool(async (id) => ways.host.prove(id), ways.clock);
    await this.reload(this.#config, this.#init.credentials, this.#init.health);
    this.#stopListening = ways.meter.onKeyEnded((keyId, hash) => {
      const error = new AppError('invalid_api_key', 'the key of this request is no longer valid', { reason: 'ended' });
      this.#live.cut(keyId, hash, error);
    });
    this.#listener = await this.#listen(ways);
  }

  override async stopping(): Promise<void> {
    this.#stopListening();
    await this.#listener?.[Symbol.asyncDispose]();
    await Promise.all([this.#upstreams?.[Symbol.asyncDispose](), this.#bodies[Symbol.asyncDispose]()]);
  }

  /** Takes up the models and runtimes of a changed file. Requests under way keep the ones that they began with. */
  async reload(config: GatewayConfig, credentials: Credentials, health: readonly RuntimeState[]): Promise<void> {
    const { clock } = present(this.#ways, 'the relay has started');
    const { idleStreamMs: idleMs, requestMs } = config.limits;
    const limits = { idleMs, requestMs, firstByteMs: requestMs };
    const upstreams = present(this.#upstreams, 'the relay has started');
    const runtimes = await upstreams.open(config.runtimes, credentials, limits);
    this.#table = toRoutingTable(config, runtimes, this.#table, clock);
    this.#config = config;
    this.#tracer = createTracer(config.telemetry);
    // At once: nothing is sent to a runtime of a new table that is known to be another.
    this.#applyHealth(health);
  }

  /** Takes the states of runtimes. */
  async setHealth(states: readonly RuntimeState[]): Promise<void> {
    this.#applyHealth(states);
  }

  #applyHealth(states: readonly RuntimeState[]): void {
    const byId = new Map(states.map(({ id, isHealthy }) => [id, isHealthy]));
    for (const { group, targets } of this.#table.models.values()) {
      for (const { id, runtime } of targets) {
        const isHealthy = byId.get(runtime.config.id);
        if (isHealthy === undefined) continue;
        // A server of another version may have replaced it.
        if (!isHealthy) this.#lacked.forget(runtime);
        group.setHealth(id, isHealthy);
      }
    }
  }

  /** Where it listens. */
  async address(): Promise<{ readonly host: string; readonly port: number; readonly transport: string }> {
    const { host, port, transport } = present(this.#listener, 'the relay listens');
    return { host, port, transport };
  }

  /** Its counters and its state now, in the text format of Prometheus. */
  async metrics(): Promise<string> {
    const stats = present(this.#listener, 'the relay listens').stats();
    return this.#metrics.render() + renderRelayState(this.#table, this.#live.count, stats);
  }

  /** How the targets of all models do. */
  async targets(): Promise<readonly ModelTargets[]> {
    return Array.from(this.#table.models.values(), ({ id, group }) => ({ id, targets: group.states() }));
  }

  /** Sends a message to a model, as a client would. Errors: `model_not_found`, those of a relay. */
  async tryModel(id: string, message: string, maxTokens: number): Promise<Tried> {
    const { clock } = present(this.#ways, 'the relay has started');
    const usageAsking = present(this.#usageAsking, 'the relay has started');
    return tryModel({ model: findRoutedModel(this.#table, id, null), message, maxTokens, usageAsking, clock });
  }

  /** Requests under way. */
  async running(): Promise<number> {
    return this.#live.count;
  }

  /** Refuses new requests. Requests under way may go on for `graceMs`, and then get a last event. */
  async drain(graceMs: number): Promise<void> {
    const { clock } = present(this.#ways, 'the relay has started');
    const cutAll = (): void =>
      this.#live.cutAll(new AppError('shutting_down', 'the gateway is shutting down; send the request again'));
    const cancel = clock.after(graceMs, cutAll);
    await this.#listener?.drain(graceMs + LAST_WORDS_MS);
    cancel();
  }

  async #listen(ways: LocalWays): Promise<Listener> {
    const { codes, build, transport, uwsDirectory, httpLimits, sharesPort } = this.#init;
    const { gatewayId, listen: place, limits, dataDir } = this.#config;
    const { host, clock } = ways;
    const kindOf = createKindOf(Object.values(codes));
    const errors = withGatewayId(createErrorFormat(kindOf), gatewayId);
    const context: GatewayContext = {
      gatewayId,
      build,
      table: () => this.#table,
      meter: ways.meter,
      host,
      live: this.#live,
      usageAsking: present(this.#usageAsking, 'the relay has started'),
      lacked: this.#lacked,
      bodies: this.#bodies,
      saltSecret: await readSaltSecret(dataDir),
      kindOf,
      tracer: () => this.#tracer,
      clock,
    };
    const listed = createRoutes(gatewayId, kindOf, () => this.#config.limits.maxBodyBytes);
    return listen({
      ...place,
      transport,
      sharesPort,
      handler: createHandler<GatewayContext, GatewayRecord, GatewayRoute>({
        routes: [...listed, openApiRoute(listed, { ...TITLE, version: build }, errors)],
        context,
        errors,
        bodies: this.#bodies,
        toRecord: (record) => record,
        onEnd: (ended) => void (ended.record.whenKnown ?? Promise.resolve()).then(() => this.#finish(ended, ways)),
      }),
      toErrorResponse: errors.toErrorResponse,
      log: (event) => host.log(event),
      clock,
      limits: { bodyBytes: MAX_BODY_BYTES, headerBytes: limits.maxHeaderBytes, ...httpLimits },
      // The Host header is not restricted: every route that matters requires a key.
      allowedHosts: ['*'],
      isOriginAllowed: (origin) => this.#table.corsOrigins.has(origin.toLowerCase()),
      ...(uwsDirectory !== undefined && { uwsDirectory }),
    });
  }

  /** A request is over, and all of it is known. */
  #finish({ record, status, route, failure }: EndedRequest<GatewayRoute, GatewayRecord>, ways: LocalWays): void {
    const { clock, now, host, meter } = ways;
    const endMs = clock.nowMs();
    const unixMs = now();
    host.logLine(toGatewayLogLine(record, status, endMs, new Date(unixMs).toISOString()));
    this.#metrics.count(record, status, endMs, route?.operation);
    if (route?.operation !== undefined) meter.recordRequest(toRequestRow(record, status, endMs, unixMs));
    if (record.trace !== undefined) {
      const { key, runtimeId: upstream, upstreamModel } = record;
      const about = { status, operation: route?.operation, upstream, upstreamModel, keyId: key?.id };
      const spans = traceOf(record, { ...about, endMs, endUnixMs: unixMs });
      if (spans.length > 0) host.trace(spans);
    }
    // A 500 of a runtime is relayed and has no failure of ours.
    if (status === 500 && failure !== undefined)
      host.log({ ...describeFailure(failure), event: 'failure', id: record.id });
  }
}
