import { paramsOf } from '../http/index.js';
import { Type, type TSchema } from '../schema/index.js';
import type { ErrorFormat } from './error-format.js';
import { jsonResponse } from './respond.js';
import { shownPath, type Route } from './route.js';

/** The document's own schema: any object. */
const Document = Type.Record(Type.String(), Type.Unknown());

/** The description of a whole server. */
export interface ApiTitle {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** OpenAPI's security schemes by name. A request needs any one of them. */
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

/** The route `GET /openapi.json`, or `path`, that describes `routes` and itself. Source: OpenAPI 3.1.0. */
export function openApiRoute(
  routes: readonly Route<never>[],
  info: ApiTitle,
  errors: ErrorFormat,
  path = '/openapi.json',
): Route<unknown> {
  const route: Route<unknown> = {
    method: 'GET',
    path,
    summary: 'This description.',
    response: Document,
    handle: async () => jsonResponse(document),
  };
  const document = describe([...routes, route], info, errors);
  return route;
}

function describe(
  routes: readonly Route<never>[],
  { title, version, description, securitySchemes }: ApiTitle,
  errors: ErrorFormat,
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = shownPath(route);
    // OpenAPI has no operation for a route that takes every method.
    if (route.method === '*') continue;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, route.errors ?? errors) };
  }
  const secured = securitySchemes && {
    components: { securitySchemes },
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  };
  return { openapi: '3.1.0', info: { title, version, description }, ...secured, paths };
}

function operation(route: Route<never>, errors: ErrorFormat): object {
  const { path, summary, body, response, event, eventType } = route;
  const parameters = parametersOf(route);
  const good = {
    ...(response === undefined ? { 'text/plain': { schema: { type: 'string' } } } : json(response)),
    ...(event === undefined ? {} : { [eventType?.split(';')[0] ?? 'text/event-stream']: { schema: event } }),
  };
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body?.take === 'json' && { requestBody: { required: true, content: json(body.schema) } }),
    responses: {
      200: { description: 'The answer.', content: good },
      default: { description: 'What went wrong.', content: json(errors.schemaAt?.(path) ?? errors.schema) },
    },
  };
}

/** The parameters of the path, the query and the header. */
function parametersOf({ path, query, requestHeaders = {} }: Route<never>): readonly object[] {
  const { properties = {}, required = [] } = (query ?? {}) as Partial<QuerySchema>;
  return [
    ...paramsOf(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
    })),
    ...Object.entries(requestHeaders).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ];
}

/** The part of a query's schema that this file reads. */
interface QuerySchema {
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

function json(schema: TSchema): object {
  return { 'application/json': { schema } };
}
