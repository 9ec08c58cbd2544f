// What an upstream does with a prompt, by the model that a request names: answers, echoes, breaks off.
import { chunk, chunkedHead, streamHead, whole, type Fault } from '../../gateway/hardening-upstreams.js';
import type { Canaries } from './canaries.js';

/** Upstreams of a suite of retention, good and bad. */
export function canaryFaults({ prompt, answer }: Canaries): Readonly<Record<string, Fault>> {
  const quoted = JSON.stringify({ error: { message: `cannot read: ${prompt} ${answer}`, code: 'bad' } });
  const eventOf = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
  const event = eventOf({ content: answer });
  const call = { id: answer, type: 'function', function: { name: answer, arguments: `{"${prompt}":"${answer}"}` } };
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  const chat = (message: object): string => JSON.stringify({ choices: [{ message }], usage });
  const stream = (...events: readonly string[]): string =>
    `${chunkedHead}${chunk(events.join(''))}${chunk('data: [DONE]\n\n')}0\r\n\r\n`;
  return {
    good: (socket) =>
      void socket.write(whole(chat({ content: answer }), [`X-Note: ${answer}`, `Set-Cookie: session=${answer}`])),
    stream: (socket) => void socket.write(stream(event.repeat(3))),
    tools: (socket) => void socket.write(whole(chat({ content: null, tool_calls: [call] }))),
    'tool-stream': (socket) =>
      void socket.write(
        stream(eventOf({ reasoning_content: answer }), eventOf({ tool_calls: [{ index: 0, ...call }] })),
      ),
    'bad-request': (socket) => void socket.write(whole(quoted, [], '400 Bad Request')),
    'server-error': (socket) => void socket.write(whole(quoted, [`X-Error: ${prompt}`], `500 ${answer}`)),
    'rate-limit': (socket) => void socket.write(whole(quoted, [], '429 Too Many Requests')),
    'no-json': (socket) => void socket.write(whole(`<p>${prompt}</p>`, ['Content-Type: text/html'])),
    'broken-json': (socket) => void socket.write(whole(`{"choices":[{"message":{"content":"${answer}`)),
    'broken-usage': (socket) => void socket.write(`${streamHead}data: {"usage": {"${answer}\n\n`, () => socket.end()),
    'broken-chunk': (socket) => void socket.write(`${chunkedHead}${chunk(event)}${prompt}\r\n`),
    'not-http': (socket) => void socket.end(`${prompt}\r\n\r\n`),
    'bad-head': (socket) => void socket.end(`HTTP/1.1 200 OK\r\n${prompt}\0: x\r\n\r\n`),
    reset: (socket) => void socket.write(`${chunkedHead}${chunk(event)}`, () => socket.resetAndDestroy()),
    aborted: (socket) => void socket.write(`${chunkedHead}${chunk(event)}`),
    gzip: (socket) => void socket.write(whole(`\x1f\x8b\x08\0${answer}`, ['Content-Encoding: gzip']), 'latin1'),
  };
}
