import type { Evidence, ProbePath } from './evidence.js';

/** One kind of model server: where it listens, what tells it from others, and what the relay must know of it. */
export interface RuntimeKind {
  /** What people call it. */
  readonly title: string;
  /** Where it listens when nobody says otherwise. */
  readonly ports: readonly number[];
  /** All that discovery asks for its sake, and all that `prove` may read: GETs without body, query and credentials. */
  readonly probes: readonly ProbePath[];
  /**
   * Further ones, which make some other servers work: they are asked when no kind before this one had anything to say, and
   * not together with all others.
   */
  readonly costlyProbes?: readonly ProbePath[];
  /** What stands before `/v1/chat/completions` in its paths; '' for most. */
  readonly basePath: '' | ProbePath;
  /** Whether its clients share a prefix cache that `cache_salt` parts. */
  readonly sharesPrefixCache: boolean;
  /** Why no request is relayed to it, where none is. */
  readonly refusal?: string;
  /**
   * What the answers say of this kind; undefined: nothing. It is asked in the order of the list, when every kind before it
   * had nothing to say. A status alone proves nothing, a port alone neither.
   */
  prove(evidence: Evidence): Proof | Contradiction | OtherServer | undefined;
}

/** The answers are this kind's. */
export interface Proof {
  /** The answer that proves it, for people: `GET /props has build_info`. */
  readonly by: string;
  /** As it was told, not checked by anyone. */
  readonly version?: string | undefined;
  /** What `/v1/models` lists; undefined where a key is needed to see it. */
  readonly models?: readonly string[] | undefined;
  /** It takes requests only with a key of its own. */
  readonly needsKey?: boolean;
}

/** The answers are those of a server that claims nothing about models, as a website does. */
export interface OtherServer {
  readonly other: string;
}

/** The answers claim what they are not: no kind that comes later is asked. */
export interface Contradiction {
  readonly contradiction: string;
}
