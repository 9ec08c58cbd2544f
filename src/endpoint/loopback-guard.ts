// Checks Host and Origin of every request to an operators' page on a loopback address. Sets headers that limit what
// browsers may do with the answer.
import { isIP } from 'node:net';
import { AppError, toErrorData, type ErrorData, type LogEntry } from '../base/index.js';
import {
  readBody,
  refuseBody,
  streamBody,
  type Decision,
  type Handler,
  type HttpHead,
  type HttpResponse,
  type ToErrorResponse,
} from '../http/index.js';

/** Where a page for operators listens. */
export interface LoopbackPlace {
  /** A loopback address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Options of a guard. */
export interface GuardOptions {
  /** The name of the guarded page in messages, such as `admin`. */
  readonly name: string;
  /** The prefix of paths that belong to the API and not to the page, such as `/admin/`. */
  readonly apiPath: string;
  /** Where the listener is. */
  readonly place: () => LoopbackPlace;
  readonly toErrorResponse: ToErrorResponse;
  readonly log: (entry: LogEntry) => void;
}

/** The addresses that the name `localhost` has. */
const OF_LOCALHOST: readonly string[] = ['127.0.0.1', '::1'];
/** Values of Sec-Fetch-Site for requests that no other site caused. Source: W3C Fetch Metadata. */
const OWN_SITES: readonly string[] = ['same-origin', 'none'];

/**
 * Headers that keep other sites' pages, frames, scripts and plug-ins from using an answer. Page files set their own
 * policy.
 */
const SAFE: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Puts checks of Host, Origin and Sec-Fetch-Site before `handler`, and the headers of `SAFE` on every answer. */
export function guardHandler(handler: Handler, options: GuardOptions): Handler {
  const { name, toErrorResponse, log } = options;
  return (head) => {
    try {
      checkNames(head, options);
    } catch (error) {
      const data: ErrorData = toErrorData(error);
      log({ event: `${name} request refused`, code: data.code, message: data.message });
      return refuseBody(withSafe(toErrorResponse(data, head)));
    }
    const decision = handler(head);
    return 'take' in decision ? decorate(decision) : decision.then(decorate);
  };
}

/** Whether `origin` is one of the listener's own, before the comparison of Host. */
export function isOwnOrigin(origin: string, place: LoopbackPlace): boolean {
  return ownHosts(place).some((host) => origin === `http://${host}`);
}

/** The URL of a page at a place. */
export function toPageUrl(place: LoopbackPlace): string {
  return `http://${ownHosts(place)[0]}`;
}

/**
 * The accepted Host headers of a listener. With any other name, an attacker may have pointed that name at this address
 * (DNS rebinding).
 */
function ownHosts({ host, port }: LoopbackPlace): readonly [string, ...string[]] {
  const written = isIP(host) === 6 ? `[${host}]` : host;
  return [`${written}:${port}`, ...(OF_LOCALHOST.includes(host) ? [`localhost:${port}`] : [])];
}

/** Adds the headers of `SAFE` that an answer or error does not set itself. */
export function withSafe<T extends HttpResponse>(response: T): T {
  return { ...response, headers: { ...SAFE, ...(response.headers as Record<string, string>) } };
}

/** Errors: `host_refused`, `origin_refused`. */
function checkNames({ headers, method, path }: HttpHead, { name: page, apiPath, place: placeOf }: GuardOptions): void {
  const place = placeOf();
  const host = headers.get('host')?.toLowerCase() ?? '';
  if (!ownHosts(place).includes(host)) {
    throw new AppError('host_refused', `the ${page} page is at ${toPageUrl(place)} and answers by no other name`);
  }
  const origin = headers.get('origin');
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new AppError('origin_refused', `a page of another origin may not use the ${page} API`);
  }
  const site = headers.get('sec-fetch-site');
  if (site === undefined || OWN_SITES.includes(site)) return;
  // A link from another site may open the page itself, without the session.
  const isVisit = method === 'GET' && headers.get('sec-fetch-mode') === 'navigate' && !path.startsWith(apiPath);
  if (!isVisit) throw new AppError('origin_refused', `a page of another site may not use the ${page} API`);
}

function decorate(decision: Decision): Decision {
  if (decision.take === 'nothing') return { ...decision, response: withSafe(decision.response) };
  if (decision.take === 'stream') {
    return streamBody(async (request) => withSafe(await decision.handle(request)));
  }
  return readBody(async (request) => withSafe(await decision.handle(request)), decision.options);
}
