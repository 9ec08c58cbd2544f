import { renderAlerts } from '../../alerts/index.js';
import { Actor, actorKey } from '../../actor/index.js';
import { AppError, createKindOf, present } from '../../base/index.js';
import { createRequestId } from '../../billing/index.js';
import {
  createBodyReader,
  createErrorFormat,
  createHandler,
  describeFailure,
  heading,
  openApiRoute,
  readPageFiles,
  renderListener,
  sample,
  type EndedRequest,
  type PageFiles,
} from '../../endpoint/index.js';
import { listen, type Listener } from '../../http/index.js';
import {
  createLiveRequests,
  createReadOnPool,
  createRelayMetrics,
  createUsageAsking,
  limitedBody,
  traceOf,
} from '../../relay-serving/index.js';
import { createRefusalLog } from '../audit/refusal-log.js';
import { observeRequest } from '../alerts/create-hosted-alerts.js';
import { withServiceId } from '../serving/hosted-response.js';
import type { HostedContext, HostedRecord, HostedRoute } from '../serving/hosted-route.js';
import { toHostedLogLine, toRefused } from '../serving/request-entry.js';
import { createRoutes } from '../serving/routes/index.js';
import { parseAllowedRanges } from '../gateways/contact-rules.js';
import { createUpstreamSet, type UpstreamSet } from '../upstreams/upstream-set.js';
import { parseIpAddress } from '../../address/index.js';
import type { NodeSharedState } from './node-shared-state.js';

/** Bodies that the listener takes at the most; each request is held to the limit of the file. */
const MAX_BODY_BYTES = 1024 * 1024 * 1024;
/** How long after the last events of a drain connections may take to end. */
const LAST_WORDS_MS = 1_000;
const TITLE = {
  title: 'Troupe hosted API',
  description:
    'Providers and connected gateways, each under a path of its own, and the account of a key. Every path but /health, ' +
    '/ready and /openapi.json needs a key, sent as Authorization: Bearer hak_...',
};
const PREFIX = 'troupe_hosted';

/** Listens, and relays paid requests. */
export class ListenerActor extends Actor {
  readonly #shared: NodeSharedState;
  readonly #live = createLiveRequests();
  readonly #settling = new Set<Promise<void>>();
  readonly #bodies = createBodyReader();
  readonly #metrics = createRelayMetrics<HostedRecord>({
    prefix: PREFIX,
    label: 'provider',
    upstreamOf: ({ target }) => target?.provider,
  });
  readonly #readOn;
  readonly #upstreams: UpstreamSet;
  #listener: Listener | undefined;
  #accountPage: PageFiles | undefined;
  #stopListening = (): void => {};

  constructor(shared: NodeSharedState) {
    super();
    this.#shared = shared;
    this.#readOn = createReadOnPool(shared.setup.clock);
    this.#upstreams = createUpstreamSet(shared.setup.clock, shared.service.lookUpAll);
  }

  override async started(): Promise<void> {
    this.#stopListening = this.#shared.service.billing.keys.onEnded((keyId, secretHash) => {
      const error = new AppError('invalid_api_key', 'the key of this request is no longer valid', { reason: 'ended' });
      this.#live.cut(keyId, secretHash, error);
    });
    this.#accountPage = await readPageFiles('dist/pages/account/');
    this.#listener = await this.#listen();
    this.#shared.port = this.#listener.port;
    this.#shared.upstreams = () => this.#upstreams.states();
    this.#shared.metrics = () => this.#render();
  }

  override async stopping(): Promise<void> {
    this.#stopListening();
    await this.#listener?.[Symbol.asyncDispose]();
    await this.#endAll();
    await Promise.all([this.#upstreams[Symbol.asyncDispose](), this.#bodies[Symbol.asyncDispose]()]);
  }

  /** Where it listens. */
  async address(): Promise<{ readonly host: string; readonly port: number; readonly transport: string }> {
    const { host, port, transport } = present(this.#listener, 'it listens');
    return { host, port, transport };
  }

  /**
   * Refuses new requests. Requests under way may go on for `graceMs`, and then get a last event. Waits for their
   * settlement.
   */
  async drain(graceMs: number): Promise<void> {
    const { clock } = this.#shared.setup;
    const cancel = clock.after(graceMs, () => this.#cutAll());
    await this.#listener?.drain(graceMs + LAST_WORDS_MS);
    cancel();
    await this.#endAll();
  }

  #cutAll(): void {
    this.#live.cutAll(new AppError('shutting_down', 'the service is shutting down; send the request again'));
  }

  /** Ends the requests that no client waits for, and waits until they are paid. */
  async #endAll(): Promise<void> {
    this.#readOn.stopAll();
    this.#cutAll();
    // An answer that ends reports its outcome in later turns of the event loop.
    for (let turns = 0; this.#live.count > 0 && turns < 100; turns++)
      await new Promise((resolve) => setImmediate(resolve));
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  async #listen(): Promise<Listener> {
    const { setup, service, config } = this.#shared;
    const { codes, build, uwsDirectory, httpLimits, clock, now, log } = setup;
    const { serviceId } = service;
    const kindOf = createKindOf(Object.values(codes));
    const errors = withServiceId(createErrorFormat(kindOf), serviceId);
    const context = this.#context(kindOf);
    const { basePaths, table, directory } = context;
    const body = limitedBody(() => this.#shared.config.limits.maxBodyBytes);
    const listed = createRoutes({ basePaths, table, directory, kindOf, serviceId, body });
    const described = listed.filter(({ path }) =>
      config.basePaths.every((base) => base === '' || !path.startsWith(base)),
    );
    return listen({
      host: config.listen.host,
      port: this.#shared.port,
      transport: config.listen.transport,
      handler: createHandler<HostedContext, HostedRecord, HostedRoute>({
        routes: [...listed, openApiRoute(described, { ...TITLE, version: build }, errors)],
        context,
        errors,
        bodies: this.#bodies,
        toRecord: (record) => record,
        onEnd: (ended) => void (ended.record.whenKnown ?? Promise.resolve()).then(() => this.#finish(ended)),
      }),
      toErrorResponse: errors.toErrorResponse,
      log,
      clock,
      // Ids are the service's own: they are the ids of generations.
      createId: () => createRequestId(now()),
      limits: { bodyBytes: MAX_BODY_BYTES, headerBytes: config.limits.maxHeaderBytes, ...httpLimits },
      // The Host header is not restricted: every route that matters requires a key.
      allowedHosts: ['*'],
      isOriginAllowed: (origin, host) =>
        isOwnPage(origin, host) || this.#shared.table.corsOrigins.has(origin.toLowerCase()),
      ...(uwsDirectory !== undefined && { uwsDirectory }),
    });
  }

  #context(kindOf: HostedContext['kindOf']): HostedContext {
    const { setup, service, connected, catalog, state, config } = this.#shared;
    const ranges = parseAllowedRanges(config.metricsFrom);
    return {
      serviceId: service.serviceId,
      build: setup.build,
      basePaths: config.basePaths,
      isOperator: (text) => {
        const address = parseIpAddress(text);
        return address !== undefined && ranges.some((range) => range.has(address));
      },
      table: () => this.#shared.table,
      directory: connected.directory,
      catalog,
      billing: service.billing,
      refusals: createRefusalLog(service.billing.audit, setup.clock, setup.log),
      upstreams: this.#upstreams,
      live: this.#live,
      usageAsking: createUsageAsking(setup.clock),
      readOn: this.#readOn,
      settling: this.#settling,
      kindOf,
      clock: setup.clock,
      now: setup.now,
      state,
      tracer: () => this.#shared.tracer,
      accountPage: this.#accountPage,
      metrics: () => this.#render(),
    };
  }

  async #render(): Promise<string> {
    const { isReady, outboxDepth } = await this.#shared.state();
    const gauge = (name: string, help: string, value: number): string =>
      heading(`${PREFIX}_${name}`, 'gauge', help) + sample(`${PREFIX}_${name}`, {}, value);
    const upstreams = this.#upstreams.states();
    const perUpstream = (name: string, help: string, valueOf: (state: (typeof upstreams)[number]) => number): string =>
      heading(`${PREFIX}_${name}`, 'gauge', help) +
      upstreams.map((state) => sample(`${PREFIX}_${name}`, { provider: state.id }, valueOf(state))).join('');
    return [
      this.#metrics.render(),
      gauge('relayed_running', 'Relayed requests under way.', this.#live.count),
      gauge('read_on_running', 'Answers that the service reads on after their client left.', this.#readOn.running),
      gauge('settling', 'Settlements that are being written.', this.#settling.size),
      gauge('outbox_depth', 'Settlements that wait on the disk for the database.', outboxDepth),
      gauge('ready', 'Whether the database answers, or did within a minute.', isReady ? 1 : 0),
      perUpstream('upstream_running', 'Running requests, by provider.', ({ running }) => running),
      perUpstream('upstream_queued', 'Requests that wait, by provider.', ({ queued }) => queued),
      perUpstream('upstream_open', 'Whether the breaker lets no request out.', ({ breaker }) =>
        breaker === 'open' ? 1 : 0,
      ),
      renderAlerts(PREFIX, this.#shared.alerts.states()),
      perUpstream(
        'upstream_models_closed',
        'Models that get no request for a while, by provider.',
        ({ closedModels }) => closedModels.length,
      ),
      renderListener(PREFIX, present(this.#listener, 'it listens').stats()),
    ].join('');
  }

  /** A request is over, and all of it is known. */
  #finish({ record, status, route, failure }: EndedRequest<HostedRoute, HostedRecord>): void {
    const { clock, now, log, logLine } = this.#shared.setup;
    const endMs = clock.nowMs();
    logLine(toHostedLogLine(record, status, endMs, new Date(now()).toISOString()));
    observeRequest(this.#shared.alerts, record);
    const operation = record.target?.api.operation ?? route?.operation;
    const refused = toRefused(record, status, route, now() - (endMs - record.receivedMs));
    if (refused !== undefined) this.#shared.service.billing.requests.noteRefused(refused);
    this.#metrics.count(record, status, endMs, operation);
    if (record.trace !== undefined) {
      const { caller, target } = record;
      const about = {
        status,
        operation,
        upstream: target?.provider,
        keyId: caller?.key.id,
        accountId: caller?.account.id,
      };
      this.#shared.telemetry.trace(traceOf(record, { ...about, endMs, endUnixMs: now() }));
    }
    // A 500 of an upstream is relayed and has no failure of ours.
    if (status === 500 && failure !== undefined) log({ ...describeFailure(failure), event: 'failure', id: record.id });
  }
}

/** The one listener. */
export const LISTENER = actorKey<ListenerActor>('listener');

/**
 * Whether a page of the service itself sends the request, by its Host header. The service reads no cookie, so the name
 * suffices.
 */
function isOwnPage(origin: string, host: string | undefined): boolean {
  return host !== undefined && /^https?:\/\//i.test(origin) && origin.replace(/^https?:\/\//i, '') === host;
}
