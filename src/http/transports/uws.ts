import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:net';
import { AppError } from '../../base/index.js';
import { bindError } from '../bind-error.js';
import type { Exchange, RequestHead, ResponseHead, TransportOptions, TransportServer } from '../exchange.js';
import { loadUws, type UwsRequest, type UwsResponse } from '../uws-module.js';

/**
 * Bytes given to uWebSockets.js at once. Its cork buffer has 16 KiB; before 20.64 a write that did not fit into the
 * rest of it was lost when the socket was full (its issue 1249), so a head and a part must always fit.
 */
const PART_BYTES = 8 * 1024;

/**
 * HTTP/1.1 by uWebSockets.js, an optional peer. What it does by itself and cannot be told otherwise: it closes after
 * 10 s a connection that sends no whole header block, is idle, uploads below 16 KB/s or takes no byte (with a
 * granularity of 4 s); it closes a connection that sends a second request before the first answer; it answers HTTP/1.0
 * with 505; it sends `100 Continue` before we see the request; its parser of
 * chunks takes what others refuse (`3x`, bare line feeds), so bodies in chunks are refused here.
 */
export async function listenUws(options: TransportOptions): Promise<TransportServer> {
  const { host, port, limits, onExchange } = options;
  const { module: uws } = await loadUws(options.uwsDirectory);
  let connections = 0;
  const app = uws.App();
  app.filter((response, change) => {
    connections += change;
    if (change > 0 && connections > limits.connections) response.close();
  });
  app.any('/*', (response, request) => onExchange(toExchange(response, toHead(request))));
  let socket: object | undefined = await new Promise<object | undefined>((resolve) => {
    app.listen(host, port, (opened) => resolve(opened === false ? undefined : opened));
  });
  if (socket === undefined) throw await whyNot(host, port);
  const stopAccepting = (): void => {
    if (socket !== undefined) uws.us_listen_socket_close(socket);
    socket = undefined;
  };
  return {
    port: uws.us_socket_local_port(socket),
    connections: () => connections,
    stopAccepting,
    closeAll: async () => {
      stopAccepting();
      app.close();
    },
  };
}

/** uWebSockets.js says only that it cannot listen: Node is asked for the reason. */
function whyNot(host: string, port: number): Promise<AppError> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(bindError(error, host, port)));
    probe.listen({ host, port }, () => {
      probe.close();
      resolve(
        new AppError('address_unavailable', `uWebSockets.js cannot listen on port ${port} of ${host}`, { host, port }),
      );
    });
  });
}

function toHead(request: UwsRequest): RequestHead {
  const fields: [string, string][] = [];
  request.forEach((name, value) => fields.push([name, value]));
  const query = request.getQuery();
  const target = query === undefined || query === '' ? request.getUrl() : `${request.getUrl()}?${query}`;
  return { method: request.getCaseSensitiveMethod(), target, version: '1.1', fields, checksChunks: false };
}

function toExchange(response: UwsResponse, head: RequestHead): Exchange {
  // After its end or its abort a response may not be touched: it is another's memory.
  let isOver = false;
  let tellClosed = (_complete: boolean): void => {};
  let tellWritable = (): void => {};
  /** The head of an answer that goes out with its first part, where uWebSockets.js cannot send it alone. */
  let headToWrite: ResponseHead | undefined;

  const finish = (complete: boolean): void => {
    if (isOver) return;
    isOver = true;
    tellClosed(complete);
  };
  const corked = (run: () => void): void => {
    if (!isOver) response.cork(run);
  };
  const writeHead = (answer: ResponseHead): void => {
    response.writeStatus(`${answer.status} ${STATUS_CODES[answer.status] ?? ''}`);
    for (const [name, value] of Object.entries(answer.headers)) response.writeHeader(name, value);
  };
  const sendWhole = (answer: ResponseHead, body: Uint8Array): void => {
    corked(() => {
      writeHead(answer);
      if (answer.bodiless) {
        // endWithoutBody(length) leaves a response open in older versions, and a status of 204 has no length.
        const { contentLength: length, status } = answer;
        if (length !== undefined && status !== 204 && status !== 304)
          response.writeHeader('content-length', `${length}`);
        if (answer.close) response.writeHeader('connection', 'close');
        response.endWithoutBody();
      } else if (body.length <= PART_BYTES) response.end(body, answer.close);
    });
    if (!isOver && !answer.bodiless && body.length > PART_BYTES) response.end(body, answer.close);
    finish(true);
  };
  response.onAborted(() => finish(false));

  return {
    head,
    sendContinue: () => {},
    receive: (take) => {
      // The memory of a piece is taken back when the call returns.
      response.onData((piece, last) => take(new Uint8Array(piece.slice(0)), last));
    },
    onClosed: (run) => {
      tellClosed = run;
    },
    onWritable: (run) => {
      tellWritable = run;
    },
    send: (answer, body) => {
      // Inside the parser's call an end does not close before the parser has served what follows in its buffer.
      if (answer.close) setImmediate(() => sendWhole(answer, body));
      else sendWhole(answer, body);
    },
    begin: (answer) => {
      response.onWritable(() => {
        // With a handler of ours uWebSockets.js does not send what it kept; an empty cork does.
        corked(() => {});
        tellWritable();
        return true;
      });
      if (response.beginWrite === undefined) {
        headToWrite = answer;
        return;
      }
      corked(() => {
        writeHead(answer);
        if (answer.close) response.writeHeader('connection', 'close');
        response.beginWrite?.();
      });
    },
    write: (piece) => {
      let isTaken = true;
      for (let at = 0; at < piece.length; at += PART_BYTES) {
        corked(() => {
          if (headToWrite !== undefined) {
            writeHead(headToWrite);
            if (headToWrite.close) response.writeHeader('connection', 'close');
            headToWrite = undefined;
          }
          isTaken = response.write(piece.subarray(at, at + PART_BYTES));
        });
      }
      return isTaken;
    },
    end: () => {
      corked(() => {
        if (headToWrite !== undefined) writeHead(headToWrite);
        response.end(undefined, false);
      });
      finish(true);
    },
    close: () => {
      if (!isOver) response.close();
      finish(false);
    },
  };
}
