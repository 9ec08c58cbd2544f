import type { Evidence, ProbePath } from './evidence.js';

/** One kind of model server: its ports, its distinguishing answers, and its facts for the relay. */
export interface RuntimeKind {
  /** Its name for people. */
  readonly title: string;
  /** The ports that it listens on by default. */
  readonly ports: readonly number[];
  /**
   * All paths that discovery asks for this kind, and all that `prove` may read: GETs without body, query and
   * credentials.
   */
  readonly probes: readonly ProbePath[];
  /**
   * Further probes, which make some other servers work. Discovery sends them apart from all others, and only when no
   * kind before this one had anything to say.
   */
  readonly costlyProbes?: readonly ProbePath[];
  /** The path before `/v1/chat/completions`; '' for most kinds. */
  readonly basePath: '' | ProbePath;
  /** Whether its clients share a prefix cache that `cache_salt` parts. */
  readonly sharesPrefixCache: boolean;
  /** Why no request is relayed to it, where none is. */
  readonly refusal?: string;
  /**
   * The verdict of this kind on the answers; undefined: it does not know them. Called in the order of the list, after
   * every kind before it returned undefined. A status alone proves nothing, a port alone neither.
   */
  prove(evidence: Evidence): Proof | Contradiction | OtherServer | undefined;
}

/** The answers are this kind's. */
export interface Proof {
  /** The answer that proves it, for people: `GET /props has build_info`. */
  readonly by: string;
  /** As the server states it, unchecked. */
  readonly version?: string | undefined;
  /** Models of `/v1/models`; undefined if the list needs a key. */
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
