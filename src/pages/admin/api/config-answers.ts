// Answers of the API about gateway.yaml and its content. A test compares these types with the gateway's schemas.

/** The result of a change of the file. `in_use`: the gateway uses it; otherwise `refused` has the reason. */
export interface Saved {
  readonly config_etag: string;
  readonly in_use: boolean;
  readonly refused: string | null;
  readonly needs_restart: readonly string[];
}

/** Prices of tokens. */
export interface ModelPrice {
  readonly input_per_million: string;
  readonly output_per_million: string;
  readonly currency: string;
}

/** A target in the form of the file. */
export interface SentTarget {
  readonly runtime: string;
  readonly model: string;
  readonly weight: number;
  readonly order: number;
}

/** A target with its health. */
export interface Target extends SentTarget {
  readonly healthy: boolean;
  readonly breaker: string;
  readonly ejected: boolean;
  readonly running: number;
}

/** A model of the file. */
export interface Model {
  readonly id: string;
  readonly targets: readonly Target[];
  readonly max_output_tokens: number | null;
  readonly price: ModelPrice | null;
}

/** All models. */
export interface ModelList {
  readonly data: readonly Model[];
  readonly config_etag: string;
}

/** A change of a model; null removes a field. */
export interface ModelRules {
  readonly targets: SentTarget[];
  readonly max_output_tokens: number | null;
  readonly price: ModelPrice | null;
}

/** The answer of a model to a test message. */
export interface TrialAnswer {
  readonly status: number;
  readonly runtime: string;
  readonly upstream_model: string;
  readonly text: string | null;
  readonly reasoning: string | null;
  readonly error: string | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly estimated: boolean;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
}

/** An error or a warning with its position in the text, counted from 1. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly field: string;
  readonly message: string;
}

/** A line of a difference. */
export interface DiffLine {
  readonly kind: '+' | '-' | ' ';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** A line-based difference of two texts. */
export interface Diff {
  readonly hunks: readonly (readonly DiffLine[])[];
  readonly added: number;
  readonly removed: number;
  readonly truncated: boolean;
}

/** The current gateway.yaml. */
export interface ShownConfig {
  readonly path: string;
  readonly text: string;
  readonly etag: string;
  readonly values: unknown;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly in_use: boolean;
  readonly refused: string | null;
  readonly needs_restart: readonly string[];
}

/** The result of checking a text as gateway.yaml. */
export interface CheckedText {
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly diff: Diff;
}

/** Fields of the file that the form replaces as a whole. */
export type FormField = 'listen' | 'passthrough' | 'cors_origins' | 'limits' | 'retention';

/** A change of the form. */
export interface SetField {
  readonly action: 'set';
  readonly field: FormField;
  readonly value: unknown;
}

/** The file after changes, or a preview of it. */
export interface EditedConfig {
  readonly text: string;
  readonly etag: string;
  readonly diff: Diff;
  readonly written: boolean;
  readonly in_use: boolean;
  readonly refused: string | null;
  readonly needs_restart: readonly string[];
}

/** An earlier version of the file. */
export interface Version {
  readonly id: string;
  readonly saved_at: string;
  readonly size_bytes: number;
}

/** An earlier version with its text. */
export interface WholeVersion extends Version {
  readonly text: string;
  readonly valid: boolean;
  readonly diff: Diff;
}
