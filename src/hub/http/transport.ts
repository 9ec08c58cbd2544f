/**
 * Requests to a hub and to where it redirects. The token goes to the hub's own origin and to no other. A hub at a public
 * address leads to public addresses alone; one on this machine, or in this network, may lead to others like it.
 */
import { isIP } from 'node:net';
import { classOf, mayServe, parseIpAddress } from '../../address/index.js';
import { sleep, VERSION, type Clock } from '../../base/index.js';
import type { HeaderFields } from '../../http/index.js';
import { createUpstream, fieldOf, type Upstream, type UpstreamAnswer } from '../../relay/index.js';
import { proxyFor, type HubSettings } from '../settings.js';
import { invalidAnswer, redirectRefused, toHubError } from './failures.js';
import { isUsedUp, readWaitMs } from './rate-limit.js';
import { LONGEST_THROTTLE_MS } from './retries.js';

/** One request. */
export interface HubRequest {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD';
  readonly fields?: HeaderFields;
  readonly signal?: AbortSignal | undefined;
  /** Whether a redirect to another origin is followed; those within an origin always are. */
  readonly followsAway: boolean;
}

/** The answer, and its server. */
export interface HubAnswer extends UpstreamAnswer {
  readonly url: URL;
  /** Where it redirects to, when that is not followed. */
  readonly location: URL | undefined;
}

/** Sends requests. Disposing of it closes all connections. */
export interface HubTransport extends AsyncDisposable {
  /** Errors: `hub_unreachable`, `hub_redirect_refused`, `hub_answer_invalid`, the reason of the signal. */
  send(request: HubRequest): Promise<HubAnswer>;
}

/** Redirects of one request. Source: browsers allow 20; a hub sends one or two. */
const MAX_REDIRECTS = 5;
/** Origins with connections of their own: a hub has a handful of storages. */
const MAX_ORIGINS = 16;
/** Source of the times: huggingface_hub, HF_HUB_ETAG_TIMEOUT and HF_HUB_DOWNLOAD_TIMEOUT, less eager; Ollama's 30 s per part. */
const LIMITS = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  idleMs: 30_000,
  // Of one part over a slow link.
  requestMs: 24 * 3_600_000,
  requests: 64,
  // The kernel holds back bytes that the reader has not taken.
  heldBytes: 1024 * 1024,
};

/**
 * Opens a transport; it connects when it is needed. `clock` is for waits that the hub asks for; `idleMs`: how long an answer may
 * be silent.
 */
export function createTransport(settings: HubSettings, clock: Clock, idleMs = LIMITS.idleMs): HubTransport {
  const home = new URL(settings.endpoint);
  const upstreams = new Map<string, Promise<Upstream>>();
  /** Whether the hub itself was found at an address of this machine or network. */
  let isInside = isInsideByName(home);
  let notBeforeMs = 0;

  const mayConnectHome = (address: string): boolean => {
    if (!isPublic(address)) isInside = true;
    return mayServe(address);
  };
  const mayConnectAway = (address: string): boolean => isPublic(address) || (isInside && mayServe(address));

  const upstreamOf = (url: URL): Promise<Upstream> => {
    const known = upstreams.get(url.origin);
    if (known !== undefined) return known;
    const isHome = url.origin === home.origin;
    const opened = createUpstream({
      id: url.host,
      baseUrl: url.origin,
      limits: { ...LIMITS, idleMs },
      mayConnect: isHome ? mayConnectHome : mayConnectAway,
      proxy: proxyFor(url, settings.proxies),
    });
    upstreams.set(url.origin, opened);
    const [oldest] = [...upstreams.keys()].filter((origin) => origin !== home.origin && origin !== url.origin);
    if (upstreams.size > MAX_ORIGINS && oldest !== undefined) {
      void upstreams.get(oldest)?.then(async (old) => (old.running === 0 ? old[Symbol.asyncDispose]() : undefined));
      upstreams.delete(oldest);
    }
    return opened;
  };

  const sendOnce = async (url: URL, { method, fields = [], signal }: HubRequest): Promise<UpstreamAnswer> => {
    const isHome = url.origin === home.origin;
    const waitMs = notBeforeMs - clock.nowMs();
    if (isHome && waitMs > 0) await sleep(waitMs, clock, signal);
    const upstream = await upstreamOf(url);
    const own: HeaderFields = [
      ['user-agent', `troupe/${VERSION}`],
      ['accept-encoding', 'identity'],
      ...(isHome && settings.token !== undefined ? ([['authorization', `Bearer ${settings.token}`]] as const) : []),
    ];
    const target = url.pathname + url.search;
    const answer = await upstream
      .request({ method, target, fields: [...own, ...fields], signal })
      .catch((error: unknown) => {
        throw toHubError(url.host, error);
      });
    if (isHome && answer.status < 400 && isUsedUp(answer.fields)) {
      notBeforeMs = clock.nowMs() + Math.min(readWaitMs(answer.fields) ?? 0, LONGEST_THROTTLE_MS);
    }
    return answer;
  };

  return {
    async send(request) {
      let { url } = request;
      for (let hops = 0; ; hops++) {
        const answer = await sendOnce(url, request);
        const to = locationOf(answer, url);
        if (to === undefined)
          return { ...answer, body: withHubErrors(answer.body, url.host), url, location: undefined };
        checkRedirect(url, to, isInside, proxyFor(to, settings.proxies) !== undefined);
        if (to.origin !== url.origin && !request.followsAway) return { ...answer, url, location: to };
        await answer.body.return?.();
        if (hops === MAX_REDIRECTS) throw invalidAnswer(url.host, `more than ${MAX_REDIRECTS} redirects`);
        url = to;
      }
    },
    async [Symbol.asyncDispose]() {
      const opened = await Promise.allSettled(upstreams.values());
      for (const each of opened) if (each.status === 'fulfilled') await each.value[Symbol.asyncDispose]();
    },
  };
}

/** A body whose failures are those of a hub. */
function withHubErrors(body: UpstreamAnswer['body'], host: string): UpstreamAnswer['body'] {
  const rethrow = (error: unknown): never => {
    throw toHubError(host, error);
  };
  return {
    next: () => body.next().catch(rethrow),
    return: async () => (await body.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function locationOf({ status, fields }: UpstreamAnswer, from: URL): URL | undefined {
  const text = fieldOf(fields, 'location');
  if (![301, 302, 303, 307, 308].includes(status) || text === undefined) return undefined;
  if (!URL.canParse(text, from.href)) throw invalidAnswer(from.host, 'a redirect to an invalid URL');
  return new URL(text, from);
}

/** Checks that need no connection. Errors: `hub_redirect_refused`. */
function checkRedirect(from: URL, to: URL, isInside: boolean, isProxied: boolean): void {
  if (!/^https?:$/.test(to.protocol)) throw redirectRefused(to.host || to.protocol, 'is no http or https address');
  if (to.username !== '' || to.password !== '') throw redirectRefused(to.host, 'has a name and a password in its URL');
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw redirectRefused(to.host, 'is not encrypted, and the hub is');
  // A proxy resolves names itself: only the URL can be judged here.
  if (isProxied && !isInside && isInsideByName(to)) {
    throw redirectRefused(to.host, 'is at an address that a public hub does not lead to');
  }
}

/** Whether the host of a URL, without a lookup, is on this machine or network. */
function isInsideByName({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) return !isPublic(host);
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i.test(host);
}

function isPublic(address: string): boolean {
  const parsed = parseIpAddress(address);
  return parsed !== undefined && classOf(parsed) === 'public';
}
