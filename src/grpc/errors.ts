import type { CodeTable } from '../base/index.js';

/** Codes of gRPC and of mutual TLS. */
export const grpcCodes = {
  certificate_refused: {
    who: 'caller',
    kind: 'unauthenticated',
    when: 'a client certificate that its CA signed names no identity, or more than one, or is that of a CA',
  },
  identity_refused: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'the identity of a client certificate is not listed for the service that it calls',
  },
  message_invalid: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the bytes of a message are not what its .proto file says, not UTF-8, or too many parts',
  },
  metadata_invalid: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the metadata of a call is too large, or its x-request-id is no identifier',
  },
  service_unknown: {
    who: 'caller',
    kind: 'not_found',
    when: 'the health of a service is asked for that the server does not have',
  },
  too_many_calls: {
    who: 'wait',
    kind: 'resource_exhausted',
    when: 'as many calls are under way, or as many bytes of requests are being received, as the server takes at once',
  },
  message_too_slow: {
    who: 'caller',
    kind: 'deadline_exceeded',
    when: 'the message of a call did not come whole within its time',
  },
  reader_too_slow: {
    who: 'caller',
    kind: 'aborted',
    when: 'the client of a stream took nothing of it for so long that it was ended',
  },
  server_draining: {
    who: 'wait',
    kind: 'unavailable',
    when: 'the server is draining and takes no new inference',
  },
  trust_revoked: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'a call was ended, since the certificate or identity of its client is not trusted any more',
  },
  tls_files_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a certificate, a private key or a file of CAs is missing, unreadable, open to others, expired, or of the wrong kind',
  },
} as const satisfies CodeTable;
