// Answers of the API about runtimes and scans. A test compares these types with the gateway's schemas.
import type { Diff } from './config-answers.js';

/** A finding at an endpoint. */
export interface Finding {
  readonly url: string;
  readonly kind: string | null;
  readonly title: string | null;
  readonly proof: string | null;
  readonly version: string | null;
  readonly models: readonly string[] | null;
  readonly state: 'found' | 'auth' | 'skipped' | 'impostor';
  /** False: it did not identify itself in time. */
  readonly answered: boolean;
  readonly reason: string | null;
  readonly fingerprint: string | null;
  readonly novelty: 'new' | 'changed' | 'known' | null;
}

/** A runtime of the file. `trouble`: the reason why it receives no requests. */
export interface Runtime {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly base_url: string;
  readonly fingerprint: string | null;
  readonly metering: 'inject' | 'observe';
  readonly translate: boolean;
  readonly api_key: string | null;
  readonly healthy: boolean;
  readonly trouble: string | null;
  readonly reason: string | null;
  readonly models: readonly string[];
}

/** A kind of runtime. */
export interface RuntimeKind {
  readonly kind: string;
  readonly title: string;
}

/** All runtimes. */
export interface RuntimeList {
  readonly data: readonly Runtime[];
  readonly kinds: readonly RuntimeKind[];
  readonly config_etag: string;
}

/** The location of a runtime's key. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/** A change of a runtime; null removes a field. */
export interface RuntimeRules {
  readonly base_url: string;
  readonly metering: 'inject' | 'observe';
  readonly translate: boolean;
  readonly api_key: SecretReference | null;
}

/** A check of the server that is now at the address of a runtime. */
export interface RuntimeCheck {
  readonly finding: Finding;
  readonly change: string | null;
}

/** The progress of a scan. */
export interface ScanCounts {
  readonly endpoints: number;
  readonly excluded: number;
  readonly tried: number;
  readonly closed: number;
  readonly silent: number;
  readonly found: number;
  readonly auth: number;
  readonly skipped: number;
  readonly impostor: number;
}

/** A scan without its findings. */
export interface Scan {
  readonly id: string;
  readonly range: string;
  readonly ports: readonly number[];
  readonly state: 'running' | 'done' | 'cancelled' | 'failed';
  readonly error: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly counts: ScanCounts;
}

/** The recorded scans, the newest first. */
export interface ScanList {
  readonly data: readonly Scan[];
  readonly well_known_ports: readonly number[];
}

/** The parameters of a scan. */
export interface NewScan {
  readonly range?: string;
  readonly ports?: number[];
  readonly allow_public?: boolean;
  readonly timeout_s?: number;
}

/** An event of a scan. */
export type ScanEvent =
  | { readonly type: 'progress' | 'end'; readonly scan: Scan }
  | { readonly type: 'finding'; readonly finding: Finding };

/** The entries written to the file, or the entries that a preview would write. */
export interface Imported {
  readonly runtimes: readonly string[];
  readonly models: readonly string[];
  readonly left_out: number;
  readonly config_etag: string;
  readonly diff: Diff;
  readonly written: boolean;
  readonly in_use: boolean;
  readonly refused: string | null;
}
