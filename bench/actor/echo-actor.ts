import { Actor, openConsumer, openProducer, type RingHandle } from '../../src/actor/index.js';

/** Answers calls, plain messages and ring records, as fast as each path allows. */
export class EchoActor extends Actor {
  async echo(value: number): Promise<number> {
    return value;
  }

  /** Sends back each record of `from` by `to`, parked between them, until `from` is closed. */
  async echoRing(from: RingHandle, to: RingHandle): Promise<void> {
    const consumer = openConsumer(from);
    const producer = openProducer(to);
    while (consumer.waitSync(Infinity)) consumer.drain((record) => producer.tryWrite(record));
  }

  /** Writes `count` records of `bytes`. */
  async pour(to: RingHandle, count: number, bytes: number): Promise<void> {
    const producer = openProducer(to);
    const record = new Uint8Array(bytes);
    for (let i = 0; i < count; i++) while (!producer.tryWrite(record)) producer.waitSync(1_000);
  }
}
