import { AppError } from '../../base/index.js';
import { runOperation } from '../../control/index.js';
import {
  answerWith,
  jsonBody,
  jsonResponse,
  parsedBody,
  type HeadCall,
  type PageFile,
  type PageFiles,
  type Route,
} from '../../endpoint/index.js';
import type { ShownAuditEntry } from '../../metering/index.js';
import { Type } from '../../schema/index.js';
import { AuditFileAsked, auditFile } from '../audit/audit-file.js';
import { operations } from '../operations/index.js';
import type { OperationContext } from '../operations/operation.js';
import type { OperatorToken } from './operator-token.js';

/** State that all requests to the operator page share. */
export interface OperatorPageContext {
  readonly operations: OperationContext;
  readonly token: OperatorToken;
  readonly onWrongToken: () => Promise<void>;
  /** Undefined: the package was built without it. */
  readonly page: PageFiles | undefined;
}

type OperatorRoute<Body = unknown> = Route<OperatorPageContext, Body>;

/** A file of prices as a page sends it. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const AnyObject = Type.Object({});

/** One path for all operations: each checks its parameters against its own schema. */
const operation: OperatorRoute<object> = {
  method: 'POST',
  path: '/operator/{operation}',
  summary: 'Runs an operation, with its parameters as the body.',
  body: parsedBody(AnyObject, toObject, { maxBytes: MAX_BODY_BYTES }),
  before: authenticate,
  async handle({ params, body, context }) {
    const asked = { operation: params['operation'] ?? '', params: body };
    const result = await runOperation(operations, asked, context.operations);
    return jsonResponse(result as object, { 'cache-control': 'no-store' });
  },
};

/** A copy of the audit log, in parts as its client takes them. */
const auditLog: OperatorRoute<AuditFileAsked> = {
  method: 'POST',
  path: '/operator/files/audit',
  summary: 'The audit log as lines of JSON with a checksum, or as CSV.',
  body: jsonBody(AuditFileAsked, { maxBytes: MAX_BODY_BYTES }),
  before: authenticate,
  async handle({ body, context }) {
    const run = (name: string, params: object) =>
      runOperation(operations, { operation: name, params }, context.operations);
    await run('audit.export', body);
    const read = async (after: number) =>
      ((await run('audit.read', { after })) as { readonly entries: readonly ShownAuditEntry[] }).entries;
    const type = body.format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const headers = { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' };
    return { status: 200, headers, body: auditFile(read, body) };
  },
};

const assets: OperatorRoute = {
  method: 'GET',
  path: '/assets/{file}',
  summary: 'A file of the operator page.',
  handle: async ({ params, context, request }) =>
    answerWith(required(context.page?.assets.get(params['file'] ?? '')), request.headers),
};

const document: OperatorRoute = {
  method: 'GET',
  path: '/',
  summary: 'The operator page.',
  handle: async ({ context, request }) => answerWith(required(context.page?.document), request.headers),
};

/** The document is the same for all sections: the page reads its own address. */
const section: OperatorRoute = { ...document, path: '/{section}', summary: 'A section of the operator page.' };

/** Every endpoint of the operator page. */
export const operatorRoutes: readonly OperatorRoute[] = [auditLog, operation, document, assets, section];

/** Errors: `operator_token_invalid`. */
async function authenticate({ request, context }: HeadCall<OperatorPageContext>): Promise<void> {
  const sent = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (context.token.check(sent)) return;
  await context.onWrongToken();
  // The message does not name the file: any user of this machine may send the request.
  const message =
    'the operator page needs its token, which the node wrote to a file of its data directory at its start';
  throw new AppError('operator_token_invalid', message);
}

function toObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new AppError('invalid_value', 'the body is no object', { field: 'body' });
}

/** Errors: `not_found_error`. */
function required(file: PageFile | undefined): PageFile {
  if (file !== undefined) return file;
  throw new AppError('not_found_error', 'the operator page has no such file; load the page again');
}
