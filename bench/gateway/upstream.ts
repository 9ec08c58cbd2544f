// node dist/bench/gateway/upstream.js: a model server that costs next to nothing: it answers each request as soon as its
// body is there, whole or as a stream of `chunks` events, `everyMs` apart. Prints its port.

import { createServer, type Socket } from 'node:net';

const WHOLE = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1,
  model: 'bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'An answer of some thirty tokens. '.repeat(5) },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 20, completion_tokens: 32, total_tokens: 52 },
});
const LIST = JSON.stringify({
  object: 'list',
  data: [{ id: 'bench', object: 'model', created: 1, owned_by: 'bench' }],
});
const EVENT = `data: ${JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'bench',
  choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }],
})}\n\n`;
const USAGE = `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [], usage: { prompt_tokens: 20, completion_tokens: 100, total_tokens: 120 } })}\n\n`;

function answer(socket: Socket, head: string, body: string): void {
  if (head.startsWith('GET ')) {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${LIST.length}\r\n\r\n${LIST}`);
    return;
  }
  const chunks = Number(/chunks=(\d+)/.exec(body)?.[1] ?? 0);
  if (chunks === 0) {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${WHOLE.length}\r\n\r\n${WHOLE}`,
    );
    return;
  }
  const everyMs = Number(/everyMs=(\d+)/.exec(body)?.[1] ?? 0);
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
  const send = (text: string): boolean => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
  let sent = 0;
  const end = (): void => {
    if (body.includes('include_usage')) send(USAGE);
    send('data: [DONE]\n\n');
    socket.write('0\r\n\r\n');
  };
  if (everyMs === 0) {
    for (; sent < chunks; sent++) send(EVENT);
    end();
    return;
  }
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer);
    send(EVENT);
    if (++sent < chunks) return undefined;
    clearInterval(timer);
    return end();
  }, everyMs);
}

const server = createServer({ noDelay: true }, (socket) => {
  let held = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece) => {
    held += piece.toString('latin1');
    for (;;) {
      const end = held.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = held.slice(0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (held.length < end + 4 + length) return;
      const body = held.slice(end + 4, end + 4 + length);
      held = held.slice(end + 4 + length);
      answer(socket, head, body);
    }
  });
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 8_192 }, () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? String(address?.port) : ''}\n`);
});
