import { createKindOf, type Clock, type CodeTable, type LogEntry } from '../../base/index.js';
import {
  createBodyReader,
  createErrorFormat,
  createHandler,
  describeFailure,
  guardHandler,
  isOwnOrigin,
  readPageFiles,
  toLogLine,
  toPageUrl,
  withSafe,
  type EndedRequest,
  type LoopbackPlace,
  type RequestRecord,
} from '../../endpoint/index.js';
import { listen } from '../../http/index.js';
import type { OperationContext } from '../operations/operation.js';
import { operatorRoutes } from './operator-routes.js';
import { createOperatorToken } from './operator-token.js';

const MAX_CONNECTIONS = 64;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Options of the page. */
export interface OperatorPageOptions {
  /** Port 0 takes a free one. */
  readonly place: LoopbackPlace;
  readonly dataDir: string;
  readonly operations: OperationContext;
  /** Called for each request with a wrong token, which is answered once this has ended. */
  readonly onWrongToken: () => Promise<void>;
  readonly codes: Readonly<Record<string, CodeTable>>;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  readonly logLine: (line: string) => void;
}

/** The operator page while it listens. */
export interface OperatorPage extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The file with the token that the page asks for. */
  readonly tokenPath: string;
}

/** Serves the page and its API on a loopback address. Errors: those of a listener and of files. */
export async function openOperatorPage(options: OperatorPageOptions): Promise<OperatorPage> {
  const { dataDir, operations, onWrongToken, codes, clock, now, log, logLine } = options;
  const errors = createErrorFormat(createKindOf(Object.values(codes)));
  const { toErrorResponse } = errors;
  const bodies = createBodyReader();
  const token = await createOperatorToken(dataDir);
  let { place } = options;
  const onEnd = ({ record, status, failure }: EndedRequest<unknown, RequestRecord>): void => {
    logLine(toLogLine(record, status, clock.nowMs(), new Date(now()).toISOString(), { listener: 'operator' }));
    if (status >= 500 && failure !== undefined) log({ ...describeFailure(failure), event: 'failure', id: record.id });
  };
  const handler = createHandler({
    routes: operatorRoutes,
    context: { operations, token, onWrongToken, page: await readPageFiles('dist/pages/operator/') },
    errors,
    bodies,
    toRecord: (record) => record,
    onEnd,
  });
  const guard = { name: 'operator', apiPath: '/operator/', place: () => place, toErrorResponse, log };
  const listener = await listen({
    ...place,
    transport: 'node',
    handler: guardHandler(handler, guard),
    toErrorResponse: (error, request) => withSafe(toErrorResponse(error, request)),
    log,
    clock,
    limits: { bodyBytes: MAX_BODY_BYTES, connections: MAX_CONNECTIONS },
    isOriginAllowed: (origin) => isOwnOrigin(origin, place),
  });
  place = { ...place, port: listener.port };
  return {
    url: toPageUrl(place),
    port: place.port,
    tokenPath: token.path,
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      await bodies[Symbol.asyncDispose]();
    },
  };
}
