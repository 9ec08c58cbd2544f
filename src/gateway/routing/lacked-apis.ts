// Remembers which APIs targets lack: a runtime is then not asked again and again for an API that it lacks.
import type { Clock } from '../../base/index.js';
import type { ModelTarget, RoutedRuntime } from './model-target.js';

/** How long it is remembered: a runtime may be replaced by a newer one between two probes. */
const REMEMBERED_MS = 600_000;
/** Models and paths of one runtime that are remembered; beyond them the oldest are forgotten, and asked once more. */
const MAX_OF_RUNTIME = 4_096;

/** Answers of targets to requests by APIs that they lack. */
export interface LackedApis {
  /** The status with which a target refused a path; undefined: it is not known to lack it. */
  statusOf(target: ModelTarget, path: string): number | undefined;
  remember(target: ModelTarget, path: string, status: number): void;
  /** Forgets a runtime. A runtime of a changed file counts as a new one. */
  forget(runtime: RoutedRuntime): void;
}

/** Nothing is known yet. */
export function createLackedApis(clock: Clock): LackedApis {
  const byRuntime = new WeakMap<RoutedRuntime, Map<string, { readonly status: number; readonly untilMs: number }>>();
  const nameOf = ({ model }: ModelTarget, path: string): string => `${path} ${model}`;
  return {
    statusOf(target, path) {
      const known = byRuntime.get(target.runtime);
      const found = known?.get(nameOf(target, path));
      if (found === undefined) return undefined;
      if (found.untilMs > clock.nowMs()) return found.status;
      known?.delete(nameOf(target, path));
      return undefined;
    },
    remember(target, path, status) {
      const known = byRuntime.get(target.runtime) ?? new Map();
      byRuntime.set(target.runtime, known);
      known.delete(nameOf(target, path));
      known.set(nameOf(target, path), { status, untilMs: clock.nowMs() + REMEMBERED_MS });
      const [oldest] = known.keys();
      if (known.size > MAX_OF_RUNTIME && oldest !== undefined) known.delete(oldest);
    },
    forget: (runtime) => void byRuntime.delete(runtime),
  };
}
