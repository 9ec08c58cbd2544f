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
   * Further probes, which cost some other servers work. Discovery sends them separately, and only if no earlier kind
   * matches.
   */
  readonly costlyProbes?: readonly ProbePath[];
  /** The path before `/v1/chat/completions`; '' for most kinds. */
  readonly basePath: '' | ProbePath;
  /** Whether its clients share a prefix cache that `cache_salt` parts. */
  readonly sharesPrefixCache: boolean;
  /** Why no request is relayed to it, where none is. */
  readonly refusal?: string;
  /**
   * The verdict of this kind on the answers; undefined: no match. Called in the order of the list, after every kind
   * before it returned undefined. Neither a status alone nor a port alone proves a kind.
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
  /** The server requires a key. */
  readonly needsKey?: boolean;
}

/** The answers of a server that claims nothing about models, such as a website. */
export interface OtherServer {
  readonly other: string;
}

/** The answers contradict their own claim: no later kind is tried. */
export interface Contradiction {
  readonly contradiction: string;
}
