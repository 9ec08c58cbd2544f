import { status as grpcStatus } from '@grpc/grpc-js';
import { files, type ServerReflectionRequest_v1, type ServerReflectionResponse_v1Input } from '../messages.js';
import { defineService, type GrpcService, type ServiceCall } from '../serving/service.js';

/** The most requests of one stream; clients send some dozens. */
const MAX_QUESTIONS = 1_000;

type Answer = Omit<ServerReflectionResponse_v1Input, 'valid_host' | 'original_request'>;

/**
 * The reflection services, v1 and v1alpha, for identities with the role `control`. `names`: all services of the server.
 */
export function reflectionServices(names: readonly string[]): GrpcService[] {
  async function* reflect({ requests }: ServiceCall<ServerReflectionRequest_v1>) {
    let count = 0;
    for await (const request of requests) {
      if (++count > MAX_QUESTIONS) return;
      yield { valid_host: request.host, original_request: request, ...answer(request, names) };
    }
  }
  return [
    defineService('grpc.reflection.v1.ServerReflection', 'control', { ServerReflectionInfo: reflect }),
    defineService('grpc.reflection.v1alpha.ServerReflection', 'control', { ServerReflectionInfo: reflect }),
  ];
}

function answer(request: ServerReflectionRequest_v1, names: readonly string[]): Answer {
  const { file_by_filename: file, file_containing_symbol: symbol, all_extension_numbers_of_type: type } = request;
  if (request.list_services !== null) {
    return { list_services_response: { service: names.map((name) => ({ name })) } };
  }
  if (file !== null) return fileAnswer(file in files ? file : undefined, file);
  if (symbol !== null) {
    const found = Object.entries(files).find(([, { symbols }]) => symbols.includes(symbol.replace(/^\./, '')));
    return fileAnswer(found?.[0], symbol);
  }
  // Messages of proto3 have no extensions.
  if (type !== null) return { all_extension_numbers_response: { base_type_name: type, extension_number: [] } };
  return notFound('an extension');
}

/** A file followed by all its imports. */
function fileAnswer(name: string | undefined, asked: string): Answer {
  if (name === undefined) return notFound(asked.slice(0, 256));
  const all = new Set<string>();
  const add = (file: string): void => {
    if (all.has(file)) return;
    all.add(file);
    for (const imported of files[file]?.imports ?? []) add(imported);
  };
  add(name);
  const bytes = [...all].flatMap((file) => files[file]?.bytes ?? []);
  return { file_descriptor_response: { file_descriptor_proto: bytes } };
}

function notFound(what: string): Answer {
  return { error_response: { error_code: grpcStatus.NOT_FOUND, error_message: `there is no ${what}` } };
}
