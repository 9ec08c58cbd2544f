import { Actor, actorKey } from '../../actor/index.js';
import { createKindOf, every, present } from '../../base/index.js';
import {
  createBodyReader,
  createErrorFormat,
  createHandler,
  describeFailure,
  guardHandler,
  isOwnOrigin,
  readPageFiles,
  toLogLine,
  withSafe,
  type EndedRequest,
} from '../../endpoint/index.js';
import { listen, type Listener } from '../../http/index.js';
import type { AdminContext } from '../admin/admin-context.js';
import type { AdminRecord, AdminRoute } from '../admin/admin-route.js';
import { createAdminRoutes } from '../admin/routes/index.js';
import type { AdminPageState, GatewaySharedState } from './gateway-shared-state.js';

/** How soon the streams of a session end with it. */
const TICK_MS = 1_000;
/** A gateway.yaml of 1 MiB as JSON text. */
const MAX_BODY_BYTES = 4 << 20;
/** Browsers open a few connections each, and streams keep theirs. */
const MAX_CONNECTIONS = 256;

/** Listens for operators, on a loopback address. */
export class AdminActor extends Actor {
  readonly #shared: GatewaySharedState;
  readonly #admin: AdminPageState;
  readonly #bodies = createBodyReader();
  #listener: Listener | undefined;
  #stopTicking = (): void => {};

  constructor(shared: GatewaySharedState) {
    super();
    this.#shared = shared;
    this.#admin = present(shared.admin, 'the admin page is turned on');
  }

  override async started(): Promise<void> {
    const { setup } = this.#shared;
    const { clock, codes, build } = setup;
    const admin = this.#admin;
    const errors = createErrorFormat(createKindOf(Object.values(codes)));
    const { toErrorResponse } = errors;
    const log = setup.log;
    const handler = createHandler<AdminContext, AdminRecord, AdminRoute>({
      routes: createAdminRoutes(build, errors),
      context: await this.#createContext(),
      errors,
      bodies: this.#bodies,
      toRecord: (record) => record,
      onEnd: (ended) => this.#finish(ended),
    });
    this.#listener = await listen({
      ...admin.place,
      transport: 'node',
      handler: guardHandler(handler, {
        name: 'admin',
        apiPath: '/admin/',
        place: () => admin.place,
        toErrorResponse,
        log,
      }),
      toErrorResponse: (error, request) => withSafe(toErrorResponse(error, request)),
      log,
      clock,
      limits: { ...setup.httpLimits, bodyBytes: MAX_BODY_BYTES, connections: MAX_CONNECTIONS },
      isOriginAllowed: (origin) => isOwnOrigin(origin, admin.place),
    });
    // A restarted actor takes the same port.
    admin.place = { ...admin.place, port: this.#listener.port };
    this.#stopTicking = every(TICK_MS, clock, () => admin.state.sessions.tick());
  }

  override async stopping(): Promise<void> {
    this.#stopTicking();
    await this.#listener?.[Symbol.asyncDispose]();
    await this.#bodies[Symbol.asyncDispose]();
  }

  async #createContext(): Promise<AdminContext> {
    const { setup, meter, configPath, health } = this.#shared;
    return {
      ...this.#admin.state,
      ...this.#admin.ways,
      build: setup.build,
      clock: setup.clock,
      now: setup.now,
      meter,
      port: () => this.#admin.place.port,
      configPath,
      config: () => this.#shared.config,
      health: () => [...health.values()],
      page: await readPageFiles('dist/pages/admin/'),
    };
  }

  #finish({ record, status, failure }: EndedRequest<AdminRoute, AdminRecord>): void {
    const { clock, now, log, logLine } = this.#shared.setup;
    const notes = { listener: 'admin', ...(record.by?.id !== undefined && { by: record.by.id }) };
    logLine(toLogLine(record, status, clock.nowMs(), new Date(now()).toISOString(), notes));
    if (status >= 500 && failure !== undefined) log({ ...describeFailure(failure), event: 'failure', id: record.id });
  }
}

/** The one admin listener. */
export const ADMIN = actorKey<AdminActor>('admin');
