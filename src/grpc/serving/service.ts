import type { Role } from '../identity/access-list.js';
import { services, type Method } from '../messages.js';
import type { OpenCall } from './open-call.js';

/** Services that the .proto files declare. */
export type ServiceName = keyof typeof services;

/** Facts of a call for handlers, besides its messages. */
export type CallFacts = Pick<
  OpenCall,
  'id' | 'signal' | 'identity' | 'caller' | 'record' | 'deadlineUnixMs' | 'receivedMs'
>;

/** One call as the handler receives it. */
export interface ServiceCall<Request> extends CallFacts {
  /** The message, or the first of a stream. */
  readonly request: Request;
  /** All messages of a stream; for other calls the only message. */
  readonly requests: AsyncIterable<Request>;
}

/** Answers the calls of a method: once, or with a stream that is pulled at the client's pace. */
type Handler<M> =
  M extends Method<infer _Sent, infer Request, infer Response, infer _Received>
    ? (call: ServiceCall<Request>) => Promise<Response> | AsyncIterable<Response>
    : never;

/** Handlers for the methods of a service. */
export type Handlers<Name extends ServiceName> = {
  readonly [M in keyof (typeof services)[Name]]: Handler<(typeof services)[Name][M]>;
};

/** A service with its handlers. */
export interface GrpcService {
  readonly name: ServiceName;
  /** The role that may call it; `any`: every role. */
  readonly role: Role | 'any';
  readonly methods: readonly ServiceMethod[];
}

/** A method without its types. */
export interface ServiceMethod {
  readonly name: string;
  readonly definition: Pick<Method<never, unknown, never, unknown>, 'path' | 'requestStream' | 'responseStream'> & {
    readonly requestDeserialize: (bytes: Buffer) => unknown;
    readonly responseSerialize: (value: never) => Buffer;
  };
  readonly handle: (call: ServiceCall<never>) => Promise<object> | AsyncIterable<object>;
}

/** A service of the .proto files with a handler for each of its methods. */
export function defineService<Name extends ServiceName>(
  name: Name,
  role: GrpcService['role'],
  handlers: Handlers<Name>,
): GrpcService {
  const definitions: Readonly<Record<string, ServiceMethod['definition']>> = services[name];
  const methods = Object.entries(definitions).map(([method, definition]) => ({
    name: method,
    definition,
    handle: Reflect.get(handlers, method) as ServiceMethod['handle'],
  }));
  return { name, role, methods };
}
