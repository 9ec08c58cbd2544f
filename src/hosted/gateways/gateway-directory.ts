import type { MayConnect } from '../../address/index.js';
import type { Metering } from './connected-gateway.js';

/** A connected gateway as requests are relayed to it. It is another object where anything of it has changed. */
export interface GatewayTarget {
  readonly slug: string;
  /** Its name in billing, `pgw/<slug>`. */
  readonly provider: string;
  /** Without a slash at the end; `/v1/models` and `/v1/chat/completions` are below it. */
  readonly baseUrl: string;
  /** Sent as Bearer instead of the client's key. A gateway without authentication accepts any string. */
  readonly credential: string;
  readonly metering: Metering;
  /** Which addresses the name of the base URL may resolve to, asked for each connection. */
  readonly mayConnect: MayConnect;
  /** Changes with address and credential: connections are kept by it, not by the object. */
  readonly revision: string;
  /**
   * The models that it offers now, as clients send them: its own ids, unchanged. Any other model is `model_not_found`.
   */
  readonly models: ReadonlySet<string>;
  /** Since when its list has been unreadable; undefined: the last read succeeded. Its models stay available. */
  readonly staleSinceMs: number | undefined;
}

/** The connected gateways in this node's memory, at most some seconds behind the database. */
export interface GatewayDirectory {
  /** Undefined: no gateway has this slug, or it is disabled or removed. */
  find(slug: string): GatewayTarget | undefined;
  /** In the order of their slugs. */
  all(): readonly GatewayTarget[];
  /** Calls `listener` after each change of any of them. The returned function ends that. */
  onChanged(listener: () => void): () => void;
}
