import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { systemClock, type Clock } from '../../base/index.js';
import { createEvidence, MODELS_PATH, type ProbeAnswer, type ProbePath } from '../evidence.js';
import type { Proof, RuntimeKind } from '../runtime-kind.js';
import { runtimeKinds, type RuntimeKindName } from '../runtimes/index.js';
import { afterArrivals, connect, type ProbeConnection } from './connect.js';
import type { Finding } from './finding.js';
import { toFingerprint } from './fingerprint.js';
import { createSemaphore } from './semaphore.js';
import { get, timedOut, type GetFailure } from './get.js';
import { DEFAULT_SCAN_LIMITS, type ScanLimits } from './limits.js';
import { resolveTarget, type ContactRules, type Resolve, type ContactAddress } from './target.js';

/** How an endpoint is asked. */
export interface IdentifyOptions {
  readonly limits?: Partial<ScanLimits>;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** The kind it was: paths of later kinds are requested only if no earlier kind matches. */
  readonly expected?: RuntimeKindName | undefined;
}

/** Kinds in the order in which they are asked. */
type Ladder = readonly (readonly [RuntimeKindName, RuntimeKind])[];

const kinds = Object.entries(runtimeKinds) as Ladder;

/** Every path that one of `ladder` asks for, in the order in which their answers are needed. */
const pathsOf = (ladder: Ladder): ReadonlySet<ProbePath> => new Set(ladder.flatMap(([, kind]) => kind.probes));

/**
 * Identifies the server at the URL of a runtime, as a scan would. Errors: `runtime_url_refused`, `runtime_unresolved`;
 * the reason of the signal.
 */
export async function identifyUrl(
  url: string,
  options: IdentifyOptions & ContactRules & { readonly resolve?: Resolve } = {},
): Promise<Finding> {
  const target = await resolveTarget(url, options, options.resolve);
  const limits = { ...DEFAULT_SCAN_LIMITS, ...options.limits };
  const signal = options.signal ?? new AbortController().signal;
  const clock = options.clock ?? systemClock;
  const connection = await connect(target, { connectMs: limits.connectMs, signal, clock });
  const finding = await identify(target, connection, { limits, signal, clock, expected: options.expected });
  signal.throwIfAborted();
  return finding;
}

/**
 * Requests the paths of all kinds from a connected `target` and stops at the first match. An answer that is late or not
 * whole HTTP ends it: a later kind would be a guess.
 */
export async function identify(
  target: ContactAddress,
  first: ProbeConnection,
  options: Pick<IdentifyOptions, 'expected'> & {
    readonly limits: ScanLimits;
    readonly signal: AbortSignal;
    readonly clock: Clock;
  },
): Promise<Finding> {
  const url = `http://${target.authority}`;
  if (typeof first === 'string') return { url, kind: null, proof: null, state: 'skipped', reason: REASONS[first] };
  const budget = new AbortController();
  setMaxListeners(2 * options.limits.requests, budget.signal);
  const stop = (): void => budget.abort();
  const cancel = options.clock.after(options.limits.endpointMs, () => afterArrivals(stop));
  options.signal.addEventListener('abort', stop, { once: true });
  if (options.signal.aborted) stop();
  const asked = createAsking(target, first, options, budget.signal);
  const end = kinds.findIndex(([name]) => name === options.expected) + 1;
  const ladders = end === 0 ? [kinds] : [kinds.slice(0, end), kinds.slice(end)];
  const began: Promise<unknown>[] = [];
  const answers: Answers = { port: target.port, asked, got: new Map(), unreadable: undefined };
  try {
    for (const ladder of ladders) {
      for (const path of pathsOf(ladder)) began.push(asked(path));
      const finding = await climb(url, ladder, answers);
      if (finding !== undefined) return finding;
    }
    const { status = 0 } = answers.got.get(MODELS_PATH) ?? {};
    const answered = answers.unreadable === undefined && isOther(status) && ({ answered: true } as const);
    return {
      url,
      kind: null,
      proof: null,
      state: 'skipped',
      reason: answers.unreadable ?? reasonOf(status),
      ...answered,
    };
  } finally {
    cancel();
    options.signal.removeEventListener('abort', stop);
    budget.abort();
    first.destroy();
    await Promise.all(began);
  }
}

const REASONS = {
  closed: 'nothing listens there',
  silent: 'it took no connection in time',
  exhausted: 'this process, or the system, may open no more files',
} as const satisfies Record<Exclude<ProbeConnection, Socket>, string>;

/** The answer to a path, which is asked once. The first GET goes over the connection that is there, each other over its own. */
type Asking = (path: ProbePath) => Promise<ProbeAnswer | GetFailure>;

function createAsking(
  target: ContactAddress,
  first: Socket,
  { limits, clock }: { readonly limits: ScanLimits; readonly clock: Clock },
  signal: AbortSignal,
): Asking {
  const gate = createSemaphore(limits.requests);
  const ask = async (path: ProbePath, opened?: Socket): Promise<ProbeAnswer | GetFailure> => {
    if (signal.aborted) return timedOut(path);
    const socket = opened ?? (await connect(target, { connectMs: limits.endpointMs, signal, clock }));
    if (socket === 'silent') return timedOut(path);
    if (typeof socket === 'string') return { failed: 'broken', why: `GET ${path} got no connection` };
    return get(target, path, socket, { signal, maxBytes: limits.bodyBytes });
  };
  const asked = new Map<ProbePath, Promise<ProbeAnswer | GetFailure>>();
  return (path) => {
    const opened = asked.size === 0 ? first : undefined;
    const outcome = asked.get(path) ?? gate(() => ask(path, opened));
    asked.set(path, outcome);
    return outcome;
  };
}

/** The answers of an endpoint so far. */
interface Answers {
  readonly port: number;
  readonly asked: Asking;
  readonly got: Map<string, ProbeAnswer>;
  /** Why the first answer that is not HTTP cannot be read. */
  unreadable: string | undefined;
}

/** Tries kinds in order on the answers. Undefined: no kind matches. */
async function climb(url: string, ladder: Ladder, answers: Answers): Promise<Finding | undefined> {
  const { port, asked, got } = answers;
  const nothing = { url, kind: null, proof: null } as const;
  for (const [name, kind] of ladder) {
    const probes = [...kind.probes, ...(kind.costlyProbes ?? [])];
    for (const path of probes) {
      const outcome = await asked(path);
      if (!('failed' in outcome)) got.set(path, outcome);
      else if (outcome.failed === 'unreadable') answers.unreadable ??= outcome.why;
      else return { ...nothing, state: 'skipped', reason: outcome.why };
    }
    const said = kind.prove(createEvidence(port, probes, got));
    if (said === undefined) continue;
    if ('contradiction' in said) {
      return { ...nothing, state: 'impostor', reason: said.contradiction };
    }
    if ('other' in said) return { ...nothing, state: 'skipped', reason: said.other, answered: true };
    return toFinding(url + kind.basePath, name, kind, said, got);
  }
  return undefined;
}

function toFinding(
  url: string,
  kind: RuntimeKindName,
  { refusal }: RuntimeKind,
  { by, version, models, needsKey = false }: Proof,
  answers: ReadonlyMap<string, ProbeAnswer>,
): Finding {
  const proven = { url, kind, proof: by, ...(version !== undefined && { version }) };
  if (refusal !== undefined) return { ...proven, state: 'skipped', reason: refusal };
  return {
    ...proven,
    ...(models !== undefined && { models }),
    state: needsKey ? 'auth' : 'found',
    ...(needsKey && { reason: 'it asks for a key: set api_key of this runtime' }),
    fingerprint: toFingerprint(kind, answers.get(MODELS_PATH)?.server ?? ''),
  };
}

/** The reason why a server with this status stays unknown. */
function reasonOf(status: number): string {
  if (status >= 300 && status < 400) return `GET ${MODELS_PATH} redirects, and redirects are not followed`;
  if (status === 401 || status === 403) return `GET ${MODELS_PATH} asks for credentials, and nothing shows a runtime`;
  if (status === 503) return `GET ${MODELS_PATH} has status 503: it may be loading a model; scan again later`;
  return `${isOther(status) ? 'it is not a model server' : 'no runtime of a known kind'}: GET ${MODELS_PATH} has status ${status}`;
}

/** Whether the status of the model list means that the server has no list, as opposed to none yet. */
function isOther(status: number): boolean {
  return [400, 404, 405, 406, 410, 421].includes(status);
}
