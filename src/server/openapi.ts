import { ErrorBody } from '../api/index.js';
import { Type, type TSchema } from '../schema/index.js';
import { jsonResponse } from './respond.js';
import type { ApiRoute } from './route.js';

/** The document's own schema: any object. */
const Document = Type.Record(Type.String(), Type.Unknown());

/** `GET /openapi.json`: what `routes` say of themselves, and this. Source: OpenAPI 3.1.0. */
export function openApiRoute(routes: readonly ApiRoute[], build: string): ApiRoute {
  const route: ApiRoute = {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description.',
    response: Document,
    handle: async () => jsonResponse(document),
  };
  const document = describe([...routes, route], build);
  return route;
}

function describe(routes: readonly ApiRoute[], build: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  const description = 'The OpenAI-compatible API of a Troupe engine. It has no authentication: any key is taken.';
  return { openapi: '3.1.0', info: { title: 'Troupe engine', version: build, description }, paths };
}

function operation({ path, summary, request, response, event }: ApiRoute): object {
  const [, param] = /\{(\w+)\}$/.exec(path) ?? [];
  const good = {
    ...(response === undefined ? { 'text/plain': { schema: { type: 'string' } } } : json(response)),
    ...(event === undefined ? {} : { 'text/event-stream': { schema: event } }),
  };
  return {
    summary,
    ...(param !== undefined && {
      parameters: [{ name: param, in: 'path', required: true, schema: { type: 'string' } }],
    }),
    ...(request !== undefined && { requestBody: { required: true, content: json(withModel(request)) } }),
    responses: {
      200: { description: 'The answer.', content: good },
      default: { description: 'What went wrong.', content: json(ErrorBody) },
    },
  };
}

function json(schema: TSchema): object {
  return { 'application/json': { schema } };
}

/** The library's requests may leave the model out; a server has several. */
function withModel(request: TSchema): TSchema {
  const required: readonly string[] = Reflect.get(request, 'required') ?? [];
  return { ...request, required: ['model', ...required] };
}
