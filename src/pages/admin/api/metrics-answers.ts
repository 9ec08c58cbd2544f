// Answers of the API about traffic. A test compares these types with the gateway's schemas.
import type { Money, TrafficPart, TrafficPoint, TrafficTotals } from '../../data/index.js';

/** A key and its usage. */
export interface TopKey {
  readonly key_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly tokens: number;
  readonly spend: readonly Money[];
}

/** The health of a runtime, in short. */
export interface RuntimeHealth {
  readonly id: string;
  readonly kind: string;
  readonly healthy: boolean;
  readonly trouble: string | null;
  readonly reason: string | null;
}

/** Whether the gateway uses its current file. */
export interface ConfigHealth {
  readonly in_use: boolean;
  readonly refused: string | null;
}

/** Whether the gateway works. */
export interface Health {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly runtimes: readonly RuntimeHealth[];
  readonly config: ConfigHealth;
}

/** The first view of an operator. */
export interface Overview {
  readonly time: string;
  readonly running_requests: number;
  readonly last_hour: TrafficTotals;
  readonly last_day: TrafficTotals;
  readonly minutes: readonly TrafficPoint[];
  readonly spend_today: readonly Money[];
  readonly top_keys: readonly TopKey[];
  readonly top_models: readonly TrafficPart[];
  readonly runtimes: readonly RuntimeHealth[];
  readonly keys: { readonly total: number; readonly active: number };
  readonly models: number;
  readonly config: ConfigHealth;
}

/** The metadata of a request. */
export interface LoggedRequest {
  readonly seq: number;
  readonly time: string;
  readonly request_id: string;
  readonly key_id: string | null;
  readonly key_name: string | null;
  readonly route: string | null;
  readonly model: string | null;
  readonly upstream_model: string | null;
  readonly runtime: string | null;
  readonly stream: boolean;
  readonly status: number | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  readonly cached_tokens: number;
  readonly estimated: boolean;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly aborted: boolean;
  readonly error_code: string | null;
}

/** An event of a request. */
export interface TimelineEvent {
  readonly event: 'received' | 'admitted' | 'first_byte' | 'ended';
  readonly at_ms: number;
  readonly time: string;
  readonly note: string | null;
}

/** One request and its events. */
export interface OneRequest {
  readonly request: LoggedRequest;
  readonly attempts: number | null;
  readonly tokens_per_s: number | null;
  readonly timeline: readonly TimelineEvent[];
}
