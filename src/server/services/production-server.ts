/**
 * The engine in production: one model over gRPC, to clients with known certificates. The model is loaded before the
 * socket opens. The health service reports at each time whether a call would be answered.
 */
import { status as grpcStatus } from '@grpc/grpc-js';
import {
  AppError,
  createKindOf,
  every,
  systemClock,
  toErrorData,
  type Clock,
  type CodeTable,
  type ErrorKind,
  type LogEntry,
  type LogLevel,
} from '../../base/index.js';
import { describeFailure, roundMs } from '../../endpoint/index.js';
import {
  createGrpcServer,
  createStatusMapper,
  HealthStatuses,
  healthService,
  reflectionServices,
  type EndedCall,
  type GrpcLimits,
  type GrpcServer,
} from '../../grpc/index.js';
import type { OneModelLibrary } from '../../models/index.js';
import type { ServedEngine } from '../engine-route.js';
import { ConnectionNotices } from './connection-notices.js';
import { controlService } from './control-service.js';
import { createGrpcMetrics } from './grpc-metrics.js';
import { inferenceService } from './inference-service.js';
import { createLiveTrust, type Trust } from './trust.js';

/** Options of a production server. */
export interface ProductionOptions {
  readonly engineId: string;
  readonly host: string;
  readonly port: number;
  readonly trust: Trust;
  /** Reads certificates and keys again. */
  readonly readTrust: () => Promise<Trust>;
  readonly library: OneModelLibrary;
  readonly engine: ServedEngine;
  /** Verifies the artifact by these keys, before each load. Errors: why it is refused. */
  readonly verify: (signingKeys: readonly string[], signal: AbortSignal) => Promise<void>;
  readonly build: string;
  readonly codes: Readonly<Record<string, CodeTable>>;
  readonly log: (level: LogLevel, entry: LogEntry) => void;
  readonly clock?: Clock | undefined;
  readonly limits?: Partial<GrpcLimits> | undefined;
}

/** A server that listens. Disposing of it ends all calls at once; the caller owns the library. */
export interface ProductionServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Reads the files again, as on SIGHUP; an unusable file is logged and changes nothing. */
  followTrust(): Promise<void>;
  /** The state of the model may have changed. */
  refresh(): void;
  /** Takes no new inference and no new connection, and settles when calls have ended, at the latest after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** How often the server checks for an expired certificate and a failed engine. */
const LOOK_MS = 1_000;
const INFERENCE = 'troupe.engine.v1.Inference';
const CONTROL = 'troupe.engine.v1.Control';

/** Codes whose status differs from that of their kind: at a full queue a client may reduce its load. */
export const statusExceptions: ReadonlyMap<string, ErrorKind> = new Map<string, ErrorKind>([
  ['overloaded', 'resource_exhausted'],
  ['queue_full', 'resource_exhausted'],
  ['models_busy', 'resource_exhausted'],
  // An option of the program, never of a request.
  ['invalid_option', 'internal'],
]);

/** Listens. Errors: those of the system, from Node. */
export async function createProductionServer(options: ProductionOptions): Promise<ProductionServer> {
  const { engineId, library, engine, verify, build, codes, log, limits, clock = systemClock } = options;
  const statuses = new HealthStatuses(['', INFERENCE, CONTROL]);
  const metrics = createGrpcMetrics(clock);
  const notices = new ConnectionNotices(log, clock);
  let server: GrpcServer | undefined;
  let isDraining = false;

  const notServingBecause = (): string | undefined => {
    if (trust.expired !== undefined) return `the server's certificate expired on ${trust.expired}`;
    if (isDraining) return 'the server is draining';
    if (library.state === 'unloaded') return library.failure?.message ?? 'the model is not loaded';
    if (library.state !== 'ready') return `the model is ${library.state}`;
    return engine.ready ? undefined : 'the engine died too often and was given up; Control.Load loads it again';
  };
  const refresh = (): void => {
    const serves = notServingBecause() === undefined;
    statuses.set('', serves);
    statuses.set(INFERENCE, serves);
    statuses.set(CONTROL, trust.expired === undefined);
  };
  const trust = createLiveTrust({
    first: options.trust,
    read: options.readTrust,
    server: () => server,
    clock,
    log,
    onChange: () => refresh(),
  });
  const check = (signal: AbortSignal): Promise<void> => verify(trust.current.signingKeys, signal);
  const drain = async (graceMs: number, isClosing: boolean): ReturnType<GrpcServer['drain']> => {
    isDraining = true;
    refresh();
    log('info', { event: 'drain', grace_ms: graceMs });
    return requireServer().drain(graceMs, isClosing);
  };
  const requireServer = (): GrpcServer => {
    if (server === undefined) throw new AppError('server_draining', 'the server does not listen yet; try again later');
    return server;
  };

  const control = controlService({
    engineId,
    build,
    clock,
    library,
    engine,
    metrics,
    trust,
    check,
    startedMs: clock.nowMs(),
    server: requireServer,
    isDraining: () => isDraining,
    notServingBecause,
    drain: (graceMs) => drain(graceMs, false),
    async checkLoaded() {
      if (library.state !== 'ready') return;
      try {
        await check(new AbortController().signal);
      } catch (error) {
        await library.unload(toReason(error, library.id));
        log('error', {
          event: 'trust',
          notice: 'the model was unloaded: it is not trusted any more',
          model: library.id,
        });
      }
    },
  });
  const services = [inferenceService(library, clock), control, healthService(statuses)];
  const names = [...services.map(({ name }) => name), 'grpc.reflection.v1.ServerReflection'];
  server = await createGrpcServer({
    host: options.host,
    port: options.port,
    tls: options.trust.tls,
    access: options.trust.access,
    services: [...services, ...reflectionServices([...names, 'grpc.reflection.v1alpha.ServerReflection'])],
    toStatus: createStatusMapper(createKindOf(Object.values(codes)), statusExceptions),
    clock,
    limits,
    refusesData: () =>
      isDraining
        ? new AppError('server_draining', 'the server is draining; ask another, or try again later')
        : undefined,
    onEnd(ended) {
      metrics.count(ended);
      log('info', toAuditEntry(ended, clock));
    },
    onFailure: (thrown, call) => log('error', { event: 'failure', id: call.id, ...describeFailure(thrown) }),
    onReset: () => metrics.countReset(),
    onCutOff(cut) {
      metrics.countCutOff(cut);
      notices.cutOff(cut);
    },
    onRefused(refusal) {
      metrics.countRefusal(refusal);
      notices.refused(refusal);
    },
  });
  refresh();
  const stopLooking = every(LOOK_MS, clock, () => {
    trust.look();
    refresh();
  });
  const { host, port } = server;

  return {
    host,
    port,
    followTrust: () => trust.follow(),
    refresh,
    drain: async (graceMs) => void (await drain(graceMs, true)),
    async [Symbol.asyncDispose]() {
      stopLooking();
      notices.stop();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** One line of the audit log: the caller, the method, the outcome and the usage. */
function toAuditEntry({ call, code }: EndedCall, clock: Clock): LogEntry {
  const { id, identity, method, record, connection, receivedMs } = call;
  return {
    event: 'call',
    id,
    identity: identity.label,
    peer: connection.peer,
    method,
    code: grpcStatus[code],
    ms: roundMs(clock.nowMs() - receivedMs),
    prompt_tokens: record.promptTokens,
    completion_tokens: record.completionTokens,
    error: record.errorCode,
  };
}

/** The error of later calls: a refused signature keeps its code, which says who must act. */
function toReason(error: unknown, id: string): AppError {
  const message = `the model ${id} was unloaded, since it is not trusted any more; Control.Load loads it again when a trusted key has signed it`;
  const { code: found } = toErrorData(error);
  const isSignature = found === 'start_refused' || found.startsWith('signature_');
  const code = !isSignature ? 'model_unloaded' : found === 'start_refused' ? 'signature_untrusted' : found;
  return new AppError(code, message, { model: id }, { cause: error });
}
