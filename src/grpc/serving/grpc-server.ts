/**
 * Services on a socket: @grpc/grpc-js speaks gRPC on connections that the listener in this module accepts. This file
 * decides which calls are answered, and for how long.
 */
import { Server, ServerCredentials, type ChannelOptions, type Metadata } from '@grpc/grpc-js';
import type { Http2Server, Http2Session } from 'node:http2';
import { AppError, assert, present, unixMs, type Clock } from '../../base/index.js';
import { ClientGuard } from '../abuse/client-guard.js';
import { ClientPacer } from '../abuse/client-pacer.js';
import type { AccessList } from '../identity/access-list.js';
import { DEFAULT_GRPC_LIMITS, type GrpcLimits } from '../limits.js';
import type { FailedCall, ToStatus } from '../status/status-mapper.js';
import { isChainTrusted } from '../tls/chain-trust.js';
import { openSecureListener, type RefusedConnection } from '../tls/secure-listener.js';
import type { TlsMaterial } from '../tls/tls-material.js';
import { createCallGate, type EndedCall, type PassedCalls } from './call-gate.js';
import { Connection, type CutOff } from './connection.js';
import { CallDrain, ENDING_MS, type DrainOutcome } from './draining.js';
import type { OpenCall } from './open-call.js';
import { ReceivingBudget } from './receiving.js';
import { runBidi, runServerStream, runUnary, type CallRunner } from './run-call.js';
import type { GrpcService, ServiceMethod } from './service.js';
import { queueStreams } from './queue-streams.js';
import { StreamHeads } from './stream-heads.js';
import { StreamQueue } from './stream-queue.js';

/** Options of a server. */
export interface GrpcServerOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Undefined: HTTP/2 without TLS. */
  readonly tls: TlsMaterial | undefined;
  readonly access: AccessList;
  readonly services: readonly GrpcService[];
  readonly toStatus: ToStatus;
  readonly clock: Clock;
  readonly limits?: Partial<GrpcLimits> | undefined;
  /** The reason for refusing inference now; undefined: inference is accepted. */
  readonly refusesData?: (() => AppError | undefined) | undefined;
  readonly onEnd: (ended: EndedCall) => void;
  /** Called if a call failed because of an internal error. */
  readonly onFailure: (thrown: unknown, call: OpenCall) => void;
  /** Called if a connection was refused or failed before HTTP/2 began. */
  readonly onRefused: (refusal: RefusedConnection) => void;
  /** Called if a connection was cut off because of its client's behaviour. */
  readonly onCutOff: (cut: CutOff) => void;
  /** Called if a client reset a call shortly after its head. */
  readonly onReset: () => void;
}

/** A listening server. Disposing of it ends all calls at once, each with its status. */
export interface GrpcServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Running calls. */
  readonly calls: ReadonlySet<OpenCall>;
  readonly numConnections: number;
  /** Streams whose calls have not begun. */
  readonly numWaiting: number;
  /** New connections use these certificates and CAs; open connections and their streams continue. */
  setTls(material: TlsMaterial): void;
  /** These lists apply to new calls. */
  setAccess(access: AccessList): void;
  /** Ends the connections that the current settings would refuse; returns their number. */
  revoke(): number;
  /** Ends the calls with the id with `call_cancelled`; returns their number. */
  cancel(id: string): number;
  /** Accepts no new connection and waits for calls of inference; ends them after `graceMs`. Returns their outcomes. */
  drain(graceMs: number, isClosing: boolean): Promise<DrainOutcome>;
}

/** Starts to listen. Errors: Node's system errors. */
export async function createGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { services, toStatus, clock, onEnd, onFailure, onRefused, onCutOff, onReset } = options;
  const { refusesData = () => undefined } = options;
  const limits = { ...DEFAULT_GRPC_LIMITS, ...options.limits };
  let { tls, access } = options;
  const asksClients = tls?.clientCa !== undefined;
  const calls = new Set<OpenCall>();
  const connections = new Set<Connection>();
  const passed: PassedCalls = new WeakMap();
  const heads = new StreamHeads(new ReceivingBudget(limits, clock));
  const byPath = new Map(
    services.flatMap((service) => service.methods.map(({ definition }) => [definition.path, service] as const)),
  );
  const draining = new CallDrain(calls, clock);
  const guard = new ClientGuard(limits);
  // Health and cancel calls have their own queue, so failing inference does not delay them.
  const queueNameOf = (path: string | undefined, { client }: Connection): string => {
    const role = byPath.get(path ?? '')?.role ?? 'data';
    return role === 'data' ? client : `${client} without inference`;
  };
  const noteFailure = (path: string | undefined, connection: Connection): void =>
    guard.noteFailure(queueNameOf(path, connection), clock.nowMs());
  const gate = createCallGate(
    {
      limits,
      clock,
      calls,
      toStatus,
      refusesData,
      access: () => access,
      serviceOf: (path) => byPath.get(path),
      takeHead: (metadata) => heads.take(metadata),
      onFailed: ({ method, connection }) => noteFailure(method, connection),
      onEnd(ended) {
        onEnd(ended);
        draining.noteEnd();
      },
    },
    passed,
  );
  const server = new Server({ ...channelOptions(limits), interceptors: [gate] });
  const runner: CallRunner = {
    clock,
    writeStallMs: limits.writeStallMs,
    takeCall: (metadata: Metadata) => present(passed.get(metadata), 'a call passed the gate'),
    fail(thrown, call): FailedCall {
      const failed = toStatus(thrown, call.id);
      if (failed.isPrivate) onFailure(thrown, call);
      return failed;
    },
  };
  for (const service of services) addService(server, service, runner);

  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  let opening: Connection | undefined;
  const bySession = new WeakMap<Http2Session, Connection>();
  const http2 = http2ServerOf(server);
  http2.on('session', (session: Http2Session) => {
    const connection = present(opening, 'a session begins on the connection that was handed over');
    bySession.set(session, connection);
    const numOpen = [...connections].filter(({ client }) => client === connection.client).length;
    connection.attach(session, limits, numOpen);
  });
  const onAborted = (connection: Connection, ageMs: number): void => {
    if (ageMs > limits.resetWithinMs || !connection.countsReset()) return;
    onReset();
    const backoffMs = guard.noteReset(connection.client, clock.nowMs());
    if (backoffMs === undefined) connection.noteReset(limits);
    else connection.cutOff('too_many_resets', backoffMs);
  };
  const pacer = new ClientPacer(limits);
  const queue = new StreamQueue({
    clock,
    limit: limits.waitingStreams,
    pausedMs(queueName, numWaiting, nowMs) {
      // A client that resets many streams is paced even if few of its streams wait.
      const counted = guard.resetsMany(queueName, nowMs) ? Infinity : numWaiting;
      return Math.max(guard.pausedMs(queueName, nowMs), pacer.waitMs(queueName, counted, nowMs));
    },
    onCall: (queueName, nowMs) => pacer.noteCall(queueName, nowMs),
    onBegun: (queueName, spentMs, nowMs) => pacer.noteBegun(queueName, spentMs, nowMs),
  });
  queueStreams(
    http2,
    queue,
    {
      connectionOf: (session) => bySession.get(session),
      onBegin(stream, headers, connection) {
        // @grpc/grpc-js answers calls of unknown methods without an event.
        const path = headers[':path'];
        if (!byPath.has(path ?? '')) noteFailure(path, connection);
        heads.mark(stream, headers, connection);
      },
      queueNameOf,
      onRefused: noteFailure,
      onAborted,
    },
    clock,
  );
  let count = 0;
  const listener = await openSecureListener({
    host: options.host,
    port: options.port,
    tls,
    limits,
    clock,
    onRefused,
    onConnection(socket) {
      const connection = new Connection(count++, socket, asksClients, clock, onCutOff);
      if (guard.keptOutMs(connection.client, clock.nowMs()) > 0) {
        onRefused({ kind: 'kept_out', reason: 'its client was cut off', client: connection.client });
        socket.destroy();
        return;
      }
      connections.add(connection);
      socket.once('close', () => connections.delete(connection));
      // The streams report a reset of the socket through their own events.
      socket.on('error', () => {});
      opening = connection;
      injector.injectConnection(socket);
      opening = undefined;
    },
  });

  const cancelled = (why: string): AppError => new AppError('call_cancelled', why);
  return {
    host: listener.host,
    port: listener.port,
    calls,
    get numWaiting() {
      return queue.size;
    },
    get numConnections() {
      return connections.size;
    },
    setTls(material) {
      assert((material.clientCa !== undefined) === asksClients, 'a reload keeps whether clients are asked');
      tls = material;
      listener.setTls(material);
    },
    setAccess(lists) {
      access = lists;
    },
    revoke() {
      const isTrusted = ({ chain, identity }: Connection): boolean =>
        !asksClients ||
        (isChainTrusted(chain, tls?.clientCas ?? [], unixMs()) &&
          'names' in identity &&
          access.rolesOf(identity).size > 0);
      const revoked = [...connections].filter((connection) => !isTrusted(connection));
      const reason = new AppError(
        'trust_revoked',
        'the certificate or identity of this client is not trusted any more',
      );
      for (const connection of revoked) connection.close(reason);
      // A call ends if its identity lost the required role. The connection stays open for other roles.
      for (const call of calls) {
        const role = byPath.get(call.method)?.role ?? 'any';
        if (role !== 'any' && !access.rolesOf(call.identity).has(role)) call.abort(reason);
      }
      return revoked.length;
    },
    cancel(id) {
      const found = [...calls].filter((call) => call.id === id);
      for (const call of found) call.abort(cancelled('the call was cancelled by an identity of control'));
      return found.length;
    },
    async drain(graceMs, isClosing) {
      if (isClosing) listener.close();
      return draining.drain(graceMs);
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const call of calls) call.abort(new AppError('server_draining', 'the server was stopped'));
      await draining.settle(ENDING_MS);
      // The last data of the calls, above all their status, is still on its way.
      await Promise.all([...connections].map((connection) => connection.leave(ENDING_MS)));
      injector.destroy();
      server.forceShutdown();
      for (const { socket } of connections) socket.destroy();
    },
  };
}

function channelOptions(limits: GrpcLimits): ChannelOptions {
  return {
    'grpc.max_receive_message_length': limits.messageBytes,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': limits.streamsPerConnection,
    'grpc.max_connection_idle_ms': limits.idleMs,
    'grpc.keepalive_time_ms': limits.keepAliveMs,
    'grpc.keepalive_timeout_ms': limits.keepAliveTimeoutMs,
    // The status call reports the same figures, and channelz would load @grpc/proto-loader.
    'grpc.enable_channelz': 0,
  };
}

function addService(server: Server, { methods }: GrpcService, runner: CallRunner): void {
  const asIs = (bytes: Buffer): Buffer => bytes;
  const codecs = {
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  const definitions = methods.map(({ name, definition }) => [name, { ...definition, ...codecs }] as const);
  const handlers = methods.map((method) => [method.name, run(method, runner)] as const);
  server.addService(Object.fromEntries(definitions), Object.fromEntries(handlers));
}

function run(method: ServiceMethod, runner: CallRunner) {
  if (method.definition.requestStream) return runBidi(method, runner);
  return method.definition.responseStream ? runServerStream(method, runner) : runUnary(method, runner);
}

/**
 * The HTTP/2 server of grpc-js, which gets the accepted connections. @grpc/grpc-js 1.14.7 does not expose it, and only
 * it reports pings and heads of streams.
 */
function http2ServerOf(server: Server): Http2Server {
  const servers: unknown = Reflect.get(server, 'http2Servers');
  assert(
    servers instanceof Map && servers.size === 1,
    '@grpc/grpc-js has one HTTP/2 server for the connections that it gets',
  );
  return [...(servers as Map<Http2Server, unknown>).keys()][0] as Http2Server;
}
