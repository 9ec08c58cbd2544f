import type { ServerHttp2Stream } from 'node:http2';
import { AppError, type Clock } from '../../base/index.js';
import type { GrpcLimits } from '../limits.js';

/** The message of one call during its reception. */
export interface Receiving {
  /** Stops counting: the message is complete, or the call has ended. */
  stop(): void;
}

/** Limits the bytes that all calls together are receiving, and the time of each. */
export class ReceivingBudget {
  readonly #limits: GrpcLimits;
  readonly #clock: Clock;
  #bytes = 0;

  constructor(limits: GrpcLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Received bytes of incomplete messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts the bytes on `stream` until `stop`. Calls `refuse` once, with the error that ends the call. */
  start(stream: ServerHttp2Stream, refuse: (error: AppError) => void): Receiving {
    const { receivingBytes, receiveMs } = this.#limits;
    let own = 0;
    let isOver = false;
    const count = (chunk: Buffer): void => {
      own += chunk.length;
      this.#bytes += chunk.length;
      if (this.#bytes <= receivingBytes) return;
      const message = `messages of more than ${receivingBytes} bytes are being received at once; try again later`;
      end(new AppError('too_many_calls', message, { limit: receivingBytes }));
    };
    const stop = (): void => {
      if (isOver) return;
      isOver = true;
      stream.removeListener('data', count);
      cancel();
      this.#bytes -= own;
    };
    const end = (error: AppError): void => {
      if (isOver) return;
      stop();
      refuse(error);
    };
    const cancel = this.#clock.after(receiveMs, () => {
      end(
        new AppError('message_too_slow', `the message did not come whole within ${receiveMs} ms`, { limit: receiveMs }),
      );
    });
    stream.on('data', count);
    stream.once('close', stop);
    return { stop };
  }
}
