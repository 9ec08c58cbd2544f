import type { HeaderFields } from '../../http/index.js';
import type { RelayedApi } from '../../relay-serving/index.js';
import type { UpstreamSettings } from './upstream-set.js';

/** Where requests of one path go. */
export interface RelayTarget {
  /** As billing names it: the id of a provider, `pgw/<slug>`. */
  readonly provider: string;
  /** The path as the log and the metrics have it. */
  readonly shownPath: string;
  readonly api: RelayedApi;
  readonly place: UpstreamSettings;
  /** Behind the base URL. */
  readonly upstreamPath: string;
  /** The credential that replaces the client's key. */
  readonly own: HeaderFields;
  /** Usage is asked for in streams that did not, and taken out again. */
  readonly asksUsage: boolean;
  /** A model without a price costs nothing. */
  readonly isFree: boolean;
  readonly maxOutputTokens: number | undefined;
  /** Whether it has a model; undefined: its price decides. */
  has(model: string): boolean | undefined;
}

/** The target of a path. */
export type FoundPath =
  | { readonly kind: 'relay'; readonly target: RelayTarget }
  /** The models of a provider or a gateway: all, or the one that the path names. */
  | { readonly kind: 'models'; readonly provider: string; readonly model?: string };
