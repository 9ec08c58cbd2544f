import { AppError } from '../../base/index.js';
import { grpc } from '../messages.js';

const { ServingStatus } = grpc.health.v1.HealthCheckResponse;

/** The status of services, and the watchers of changes. The empty name is the whole server. */
export class HealthStatuses {
  readonly #serving = new Map<string, boolean>();
  readonly #watchers = new Set<() => void>();

  /** Every name starts with the status "not serving". */
  constructor(names: readonly string[]) {
    for (const name of names) this.#serving.set(name, false);
  }

  set(name: string, serves: boolean): void {
    if (this.#serving.get(name) === serves) return;
    this.#serving.set(name, serves);
    for (const tell of this.#watchers) tell();
  }

  /** The numeric status of a service; undefined: there is no such service. */
  statusOf(name: string): number | undefined {
    const serves = this.#serving.get(name);
    if (serves === undefined) return undefined;
    return serves ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  all(): Record<string, { readonly status: number }> {
    return Object.fromEntries([...this.#serving.keys()].map((name) => [name, { status: this.statusOf(name) ?? 0 }]));
  }

  /** Yields the status of a service now and after each change. An abort ends it with the reason of the signal. */
  async *watch(name: string, signal: AbortSignal): AsyncGenerator<number, void> {
    let last: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      const status = this.statusOf(name) ?? ServingStatus.SERVICE_UNKNOWN;
      if (status !== last) {
        last = status;
        yield status;
        continue;
      }
      await this.#change(signal);
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#watchers.delete(settle);
        signal.removeEventListener('abort', settle);
        resolve();
      };
      this.#watchers.add(settle);
      signal.addEventListener('abort', settle, { once: true });
    });
  }
}

/** The error for a service that does not exist. */
export function unknownService(name: string): AppError {
  return new AppError('service_unknown', `there is no service ${JSON.stringify(name.slice(0, 256))}`, {
    param: 'service',
  });
}
