import { toRequestError } from '../../api/index.js';
import { AppError, nearest } from '../../base/index.js';
import {
  createQueryReader,
  jsonResponse,
  parsedBody,
  type RequestRecord,
  type Route,
  type RouteCall,
} from '../../endpoint/index.js';
import type { HttpResponse } from '../../http/index.js';
import type { AuditActor } from '../../metering/index.js';
import { Compile, Type, type Static, type TSchema } from '../../schema/index.js';
import type { AdminContext } from './admin-context.js';
import type { Session } from './sessions/sessions.js';

/** The record of one request to the admin API. */
export interface AdminRecord extends RequestRecord {
  /** The sender, as the audit log names it; absent where `access` is `anybody`. */
  by?: AuditActor;
  /** Absent: it came with the admin token. */
  session?: Session;
}

/** An endpoint of the admin API. */
export interface AdminRoute<Body = unknown> extends Route<AdminContext, Body, AdminRecord> {
  /** `anybody`: open, as the sign-in is. Absent: it needs a session or the admin token. */
  readonly access?: 'anybody';
  /** A request that is not a GET and still changes nothing: the audit log has no entry of it. */
  readonly isSafe?: boolean;
}

/** One request as its endpoint sees it. */
export interface AdminCall<Query, Body> extends RouteCall<AdminContext, Body, AdminRecord> {
  readonly query: Query;
}

/** Endpoints of one section. */
export type AdminSection = readonly AdminRoute[];

const NoQuery = Type.Object({});
/** Bodies are small. Only a gateway.yaml is large: 1 MiB, and up to twice that as JSON text. */
const MAX_BODY_BYTES = 3 << 20;
/** For OpenAPI. */
const IF_MATCH = { 'If-Match': 'The etag of the resource, as the client read it. A different etag now: 412.' };

/** Options of an endpoint. */
export interface AdminRouteOptions<Q extends TSchema, B extends TSchema> extends Pick<
  AdminRoute,
  'method' | 'path' | 'summary' | 'response' | 'event' | 'access' | 'isSafe'
> {
  readonly query?: Q;
  readonly body?: B;
  /** Bytes of its body; absent: as many as a gateway.yaml may have. */
  readonly maxBodyBytes?: number;
  /** Whether it needs If-Match. */
  readonly changesByEtag?: boolean;
  /** The route ignores its query: the page keeps its filters there. */
  readonly ignoresQuery?: boolean;
  handle(call: AdminCall<Static<Q>, Static<B>>): Promise<HttpResponse>;
}

/** An endpoint with typed query and body. Their schemas refuse unknown fields too. */
export function adminRoute<Q extends TSchema = typeof NoQuery, B extends TSchema = TSchema>(
  options: AdminRouteOptions<Q, B>,
): AdminRoute {
  const {
    query: schema,
    body,
    changesByEtag,
    ignoresQuery,
    handle,
    maxBodyBytes: maxBytes = MAX_BODY_BYTES,
    ...facts
  } = options;
  const readQuery = createQueryReader((schema ?? NoQuery) as Q);
  const route: AdminRoute<Static<B>> = {
    ...facts,
    ...(schema !== undefined && { query: schema }),
    ...(body !== undefined && {
      body: parsedBody(body, createStrictParser(body), { maxBytes }),
    }),
    ...(changesByEtag === true && { requestHeaders: IF_MATCH }),
    async handle(call) {
      const answered = await handle({
        ...call,
        query: readQuery(ignoresQuery === true ? new URLSearchParams() : call.request.query),
      });
      call.context.heap.look();
      return answered;
    },
  };
  return route;
}

/** A good answer. No browser or proxy keeps it. */
export function answer(value: object, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return jsonResponse(value, { 'cache-control': 'no-store', ...headers });
}

/** An `ETag` as HTTP writes it. */
export function etagHeader(etag: string): Readonly<Record<string, string>> {
  return { etag: `"${etag}"` };
}

/** The etag of the state that the operator saw. Errors: `etag_missing`. */
export function readIfMatch({ request }: Pick<RouteCall<unknown, unknown>, 'request'>): string {
  const sent = request.headers.get('if-match')?.trim() ?? '';
  const [, etag] = /^(?:W\/)?"([\x21\x23-\x7e]{1,128})"$/.exec(sent) ?? /^([0-9A-Za-z_-]{1,128})$/.exec(sent) ?? [];
  if (etag !== undefined) return etag;
  const message =
    'a change needs the header If-Match with the etag that was read, so that it does not undo another one';
  throw new AppError('etag_missing', message);
}

/** Errors: `etag_mismatch` if the resource changed after the operator read it. */
export function checkEtag(sent: string, etag: string, what: string): void {
  if (sent === etag) return;
  throw changedMeanwhile(what);
}

/** `etag_mismatch`. */
export function changedMeanwhile(what: string): AppError {
  const message = `${what} was changed since it was read; read it again, and repeat the change if it is still wanted`;
  return new AppError('etag_mismatch', message);
}

/** `resource_unknown`. */
export function unknownResource(what: string, id: string, where: string): AppError {
  const shown = /^[\x21-\x7e]{1,64}$/.test(id) ? ` ${id}` : ' of that id';
  return new AppError('resource_unknown', `there is no ${what}${shown}; ${where} lists the existing ones`);
}

/**
 * The parser of a body of exactly `schema`. A null is a value like others. It refuses unknown fields: a mistyped limit
 * would otherwise have no effect. Errors: those of fields.
 */
function createStrictParser<S extends TSchema>(schema: S): (value: unknown) => Static<S> {
  const validator = Compile(schema);
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, unknown>> };
  const known = Object.keys(properties);
  return (value) => {
    const unknown = Object.keys(Object(value) as object).find((name) => known.length > 0 && !known.includes(name));
    if (unknown !== undefined) {
      const near = nearest(unknown.slice(0, 64), known);
      const hint = near === undefined ? `it may have ${known.join(', ')}` : `did you mean ${near}?`;
      throw new AppError('invalid_value', `the request has a field that is not known here; ${hint}`, { param: null });
    }
    if (!validator.Check(value)) throw toRequestError(validator.Errors(value), value);
    return value;
  };
}
