import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:net';
import { AppError } from '../../base/index.js';
import { bindError } from '../bind-error.js';
import type { Exchange, RequestHead, ResponseHead, TransportOptions, TransportServer } from '../exchange.js';
import { readTls, type TlsOptions } from '../tls.js';
import { loadUws, type UwsApp, type UwsModule, type UwsRequest, type UwsResponse } from '../uws-module.js';

/**
 * Bytes given to uWebSockets.js at once. Its cork buffer has 16 KiB. Before 20.64 a write beyond it was lost when the
 * socket was full (its issue 1249). So a head and a part must always fit.
 */
const PART_BYTES = 8 * 1024;

/**
 * HTTP/1.1 by uWebSockets.js, an optional peer. Its fixed behaviour:
 * - It closes a connection after 10 s, with a granularity of 4 s. Reasons: no whole header block, idleness, an upload
 * below 16 KB/s, a client that takes no byte.
 * - It closes a connection that sends a second request before the first answer.
 * - It answers HTTP/1.0 with 505, and writes the `Date` of every answer itself.
 * - It sends `100 Continue` before we see the request.
 * - Its parser of chunks takes what others refuse (`3x`, bare line feeds), so bodies in chunks are refused here.
 */
export async function listenUws(options: TransportOptions): Promise<TransportServer> {
  const { host, port, limits, tls, onExchange } = options;
  const { module: uws } = await loadUws(options.uwsDirectory);
  let connections = 0;
  const app = await createApp(uws, tls);
  app.filter((response, change) => {
    connections += change;
    if (change > 0 && connections > limits.connections) response.close();
  });
  app.any('/*', (response, request) =>
    onExchange(new UwsExchange(response, toHead(request, tls === undefined ? 'http' : 'https'))),
  );
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

async function createApp(uws: UwsModule, tls: TlsOptions | undefined): Promise<UwsApp> {
  if (tls === undefined) return uws.App();
  // It says nothing of what is wrong with a file.
  await readTls(tls);
  const { certFile, keyFile, passphrase } = tls;
  const files = { cert_file_name: certFile, key_file_name: keyFile };
  return uws.SSLApp({ ...files, ...(passphrase !== undefined && { passphrase }) });
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

function toHead(request: UwsRequest, scheme: RequestHead['scheme']): RequestHead {
  const fields: [string, string][] = [];
  request.forEach((name, value) => fields.push([name, toLatin1(value)]));
  const query = request.getQuery();
  const target = query === undefined || query === '' ? request.getUrl() : `${request.getUrl()}?${query}`;
  return { scheme, method: request.getCaseSensitiveMethod(), target, version: '1.1', fields, checksChunks: false };
}

/** uWebSockets.js reads values as UTF-8: their bytes again, one a character. A byte that is no UTF-8 is lost to it. */
function toLatin1(value: string): string {
  return BEYOND_ASCII.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value;
}

const BEYOND_ASCII = /[^ -~\t]/;

/** A class, since thousands may wait at once: as closures its methods took a kilobyte each. */
class UwsExchange implements Exchange {
  readonly head: RequestHead;
  readonly client: string;
  readonly #response: UwsResponse;
  /** After its end or its abort a response may not be touched: it is another's memory. */
  #isOver = false;
  #tellClosed: ((complete: boolean) => void) | undefined;
  #tellWritable: (() => void) | undefined;
  /** The head of an answer that goes out with its first part, where uWebSockets.js cannot send it alone. */
  #headToWrite: ResponseHead | undefined;
  /** Bytes of the whole body, where it is sent with its length. */
  #total: number | undefined;
  /** What a full socket did not take of a body with a length, which uWebSockets.js does not keep. */
  #untaken: Uint8Array | undefined;
  #isPaused = false;

  constructor(response: UwsResponse, head: RequestHead) {
    this.head = head;
    this.client = Buffer.from(response.getRemoteAddressAsText()).toString();
    this.#response = response;
    response.onAborted(() => this.#finish(false));
  }

  /** uWebSockets.js has asked by itself. */
  sendContinue(): void {}

  receive(take: (piece: Uint8Array, last: boolean) => void): void {
    // The memory of a piece is taken back when the call returns.
    this.#response.onData((piece, last) => take(new Uint8Array(piece.slice(0)), last));
  }

  pause(): void {
    if (this.#isOver) return;
    this.#isPaused = true;
    this.#response.pause();
  }

  resume(): void {
    if (this.#isOver || !this.#isPaused) return;
    this.#isPaused = false;
    this.#response.resume();
  }

  onClosed(run: (complete: boolean) => void): void {
    this.#tellClosed = run;
  }

  onWritable(run: () => void): void {
    this.#tellWritable = run;
  }

  send(head: ResponseHead, body: Uint8Array): void {
    // Inside the parser's call an end does not close before the parser has served what follows in its buffer.
    if (head.close) setImmediate(() => this.#sendWhole(head, body));
    else this.#sendWhole(head, body);
  }

  begin(head: ResponseHead): void {
    if (this.#isOver) return;
    this.#total = head.isOwnLength ? head.contentLength : undefined;
    this.#response.onWritable(() => {
      const rest = this.#untaken;
      this.#untaken = undefined;
      if (rest !== undefined && !this.write(rest)) return false;
      // With a handler of ours uWebSockets.js does not send what it kept; an empty cork does.
      this.#cork(() => {});
      this.#tellWritable?.();
      return true;
    });
    this.#headToWrite = head;
    if (this.#total !== undefined || this.#response.beginWrite === undefined) return;
    this.#cork(() => {
      this.#writeHead();
      this.#response.beginWrite?.();
    });
  }

  write(piece: Uint8Array): boolean {
    if (this.#total !== undefined) return this.#writePart(piece, this.#total);
    let isTaken = true;
    for (let at = 0; at < piece.length; at += PART_BYTES) {
      this.#cork(() => {
        this.#writeHead();
        isTaken = this.#response.write(piece.subarray(at, at + PART_BYTES));
      });
    }
    return isTaken;
  }

  end(close: boolean): void {
    this.resume();
    this.#cork(() => {
      this.#writeHead();
      this.#response.end(undefined, close);
    });
    this.#finish(true);
  }

  close(): void {
    if (!this.#isOver) this.#response.close();
    this.#finish(false);
  }

  /** Sends a part of a body whose length is known, and ends the answer with the last. */
  #writePart(piece: Uint8Array, total: number): boolean {
    for (let at = 0; at < piece.length && !this.#isOver; at += PART_BYTES) {
      const part = piece.subarray(at, at + PART_BYTES);
      let [isTaken, isDone] = [true, false];
      this.#cork(() => {
        const before = this.#response.getWriteOffset();
        this.#writeHead();
        if (before + part.length >= total) this.resume();
        [isTaken, isDone] = this.#response.tryEnd(part, total);
        // An answer that is over has no offset.
        if (!isTaken && !isDone) this.#untaken = piece.subarray(at + this.#response.getWriteOffset() - before);
      });
      if (isDone) this.#finish(true);
      else if (!isTaken) return false;
    }
    return true;
  }

  #sendWhole(head: ResponseHead, body: Uint8Array): void {
    if (!head.bodiless && body.length > PART_BYTES) {
      // In parts, even where the length is known: its end would take the whole body at once.
      this.begin(head);
      this.write(body);
      return head.isOwnLength ? undefined : this.end(head.close);
    }
    this.#headToWrite = head;
    this.#cork(() => (head.bodiless ? this.#endBodiless(head) : this.#endWith(head, body)));
    this.#finish(true);
  }

  #endWith(head: ResponseHead, body: Uint8Array): void {
    // `end` says itself that it closes.
    this.#writeHead(false);
    this.#response.end(body, head.close);
  }

  #endBodiless({ contentLength: length }: ResponseHead): void {
    this.#writeHead();
    // endWithoutBody(length) leaves a response open in older versions, and a status of 204 has no length.
    if (length !== undefined) this.#response.writeHeader('content-length', `${length}`);
    this.#response.endWithoutBody();
  }

  /** Writes the head, if it is not written. */
  #writeHead(saysClose = true): void {
    const head = this.#headToWrite;
    if (head === undefined) return;
    this.#headToWrite = undefined;
    this.#response.writeStatus(`${head.status} ${STATUS_CODES[head.status] ?? ''}`);
    for (const [name, value] of head.fields) {
      // It writes a date of its own, and a second one is none.
      if (name.toLowerCase() === 'date') continue;
      this.#response.writeHeader(name, BEYOND_ASCII.test(value) ? Buffer.from(value, 'latin1') : value);
    }
    if (head.close && saysClose) this.#response.writeHeader('connection', 'close');
  }

  #cork(run: () => void): void {
    if (!this.#isOver) this.#response.cork(run);
  }

  #finish(complete: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#tellClosed?.(complete);
  }
}
