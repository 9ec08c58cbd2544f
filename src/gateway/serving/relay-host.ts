import type { LogEntry } from '../../base/index.js';
import type { ServerProof } from '../../relay/index.js';
import type { OtlpSpan } from '../../telemetry/index.js';
import type { GatewayState } from './gateway-state.js';

/** The functions of the main thread that a relay calls, besides its meter. */
export interface RelayHost {
  /** Refuses a request whose key has nothing left, see `checkKey`. */
  check(keyId: string, parallelRequests: number | undefined): void | Promise<void>;
  isAdmin(secret: string): boolean | Promise<boolean>;
  /** Identifies the server at the address of a runtime of the file. */
  prove(runtimeId: string): ServerProof | Promise<ServerProof>;
  state(): GatewayState | Promise<GatewayState>;
  /** The metrics of all relays, in the text format of Prometheus. */
  metrics(): string | Promise<string>;
  logLine(line: string): void;
  log(entry: LogEntry): void;
  /** Sends spans to the collector, soon. */
  trace(spans: readonly OtlpSpan[]): void;
}
