/**
 * Finds the stream and the connection of a call, which @grpc/grpc-js does not expose. This file adds a header with a
 * number to each head before grpc-js reads the head.
 */
import type { Metadata } from '@grpc/grpc-js';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { AppError } from '../../base/index.js';
import { dropFarDeadline, headBytes } from './call-heads.js';
import type { Connection } from './connection.js';
import type { Receiving, ReceivingBudget } from './receiving.js';

/** One stream whose head has arrived. */
export interface StreamHead {
  readonly connection: Connection;
  readonly stream: ServerHttp2Stream;
  readonly bytes: number;
  receive(refuse: (error: AppError) => void): Receiving;
}

const MARK = 'x-troupe-stream';

/** The heads of streams without a call. */
export class StreamHeads {
  readonly #heads = new Map<string, StreamHead>();
  readonly #budget: ReceivingBudget;
  #count = 0;

  constructor(budget: ReceivingBudget) {
    this.#budget = budget;
  }

  /** Marks the head of a stream, before @grpc/grpc-js reads it. */
  mark(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection): void {
    const bytes = headBytes(headers);
    dropFarDeadline(headers);
    const mark = String(this.#count++);
    headers[MARK] = mark;
    this.#heads.set(mark, {
      connection,
      stream,
      bytes,
      receive: (refuse) => this.#budget.start(stream, refuse),
    });
    // A stream of another content type or an unknown method never becomes a call.
    stream.once('close', () => this.#heads.delete(mark));
  }

  /** Finds the head of a call by its metadata, and removes the mark from the metadata. */
  take(metadata: Metadata): StreamHead | undefined {
    const mark = String(metadata.get(MARK)[0]);
    metadata.remove(MARK);
    const head = this.#heads.get(mark);
    this.#heads.delete(mark);
    return head;
  }
}
