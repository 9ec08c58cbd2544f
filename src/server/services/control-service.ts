import type { TreeNode } from '../../actor/index.js';
import { AppError, invalidValue, type Clock } from '../../base/index.js';
import { defineService, type ActorStatusInput, type GrpcServer, type GrpcService } from '../../grpc/index.js';
import type { OneModelLibrary } from '../../models/index.js';
import { renderEngineMetrics } from '../engine-metrics.js';
import type { ServedEngine } from '../engine-route.js';
import type { GrpcMetrics } from './grpc-metrics.js';
import { toModel } from './inference-service.js';
import type { LiveTrust } from './trust.js';

/** How long a drain waits by default, and at most. */
const GRACE_MS = 30_000;
const MAX_GRACE_MS = 3_600_000;

/** The parts that the service controls. */
export interface Controlled {
  readonly engineId: string;
  readonly build: string;
  readonly startedMs: number;
  readonly clock: Clock;
  readonly library: OneModelLibrary;
  readonly engine: ServedEngine;
  readonly metrics: GrpcMetrics;
  readonly trust: LiveTrust;
  /** There is one by the time of the first call. */
  readonly server: () => GrpcServer;
  /** The files to verify each time before the model is loaded. */
  readonly check: (signal: AbortSignal) => Promise<void>;
  /** Verifies the loaded model against the current trust, and unloads it if that fails. */
  readonly checkLoaded: () => Promise<void>;
  readonly drain: (graceMs: number) => ReturnType<GrpcServer['drain']>;
  readonly isDraining: () => boolean;
  readonly notServingBecause: () => string | undefined;
}

/** `troupe.engine.v1.Control`. */
export function controlService(controlled: Controlled): GrpcService {
  const { library, trust, server, engine, clock, startedMs } = controlled;
  const findModel = async (name: string): Promise<void> => void (await library.find(name));

  return defineService('troupe.engine.v1.Control', 'control', {
    async Load({ request: { model }, signal }) {
      await findModel(model);
      await library.load(controlled.check, signal);
      return { model: await toModel(library) };
    },

    async Unload({ request: { model } }) {
      await findModel(model);
      return { unloaded: await library.unload() };
    },

    async Status({ id: own }) {
      const { tls } = trust.current;
      const nowMs = clock.nowMs();
      const calls = [...server().calls].filter(({ id }) => id !== own);
      return {
        engine_id: controlled.engineId,
        version: controlled.build,
        uptime_ms: Math.round(nowMs - startedMs),
        model: await toModel(library),
        draining: controlled.isDraining(),
        calls: calls.map(({ id, method, identity, receivedMs }) => ({
          request_id: id,
          method,
          identity: identity.label,
          age_ms: Math.round(nowMs - receivedMs),
        })),
        certificate_sha256: tls?.sha256 ?? '',
        certificate_expires: Math.floor((tls?.expiresMs ?? 0) / 1000),
        not_serving_because: controlled.notServingBecause() ?? '',
        actors: actorsOf(engine.tree(), ''),
      };
    },

    async Cancel({ request: { request_id: id } }) {
      if (id === '')
        throw new AppError('missing_required_parameter', 'request_id is required', { param: 'request_id' });
      return { cancelled: server().cancel(id) };
    },

    Drain({ request: { grace_ms: asked } }) {
      const graceMs = asked ?? GRACE_MS;
      if (graceMs > MAX_GRACE_MS) throw invalidValue('grace_ms', graceMs, `at most ${MAX_GRACE_MS}`);
      return controlled.drain(graceMs);
    },

    async ReloadTrust() {
      const { tls, numControl, numData, signingKeys } = await trust.reload();
      const closed = server().revoke();
      await controlled.checkLoaded();
      return {
        closed_connections: closed,
        certificate_sha256: tls?.sha256 ?? '',
        certificate_expires: Math.floor((tls?.expiresMs ?? 0) / 1000),
        control_identities: numControl,
        data_identities: numData,
        trusted_signing_keys: signingKeys.length,
      };
    },

    Metrics: async () => ({ text: controlled.metrics.render(server()) + (await renderEngineMetrics(engine)) }),
  });
}

/** Actors below a supervisor, each with its way from the root. */
function actorsOf({ children }: TreeNode, above: string): ActorStatusInput[] {
  return children.flatMap((child) => {
    const path = above === '' ? child.id : `${above}/${child.id}`;
    if (child.placement === 'supervisor') return actorsOf(child, path);
    return [{ path, state: child.state, restarts: child.restarts }];
  });
}
