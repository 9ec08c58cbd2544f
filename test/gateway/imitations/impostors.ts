// Servers that must never be taken for a runtime.
import { imitations } from './index.js';
import { modelList, page, type Imitation } from './pages.js';
import { serveHttp, serveImitation, serveTcp, type Served } from './serve.js';

const { ollama } = imitations;
const withPages = (pages: Imitation['pages']): Imitation => ({ ...ollama, pages: { ...ollama.pages, ...pages } });
const everywhere = (body: unknown, type: string): Imitation => ({ pages: {}, missing: { status: 200, type, body } });
const endless =
  (head: string): Parameters<typeof serveHttp>[0] =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(head);
    const piece = ' '.repeat(16 << 10);
    let isOpen = true;
    response.on('close', () => (isOpen = false));
    const more = (): void => {
      while (isOpen && response.write(piece));
    };
    response.on('drain', more);
    more();
  };

/** What each of them is, and how it is started. */
export const impostors: Readonly<Record<string, () => Promise<Served>>> = {
  'an Ollama whose engine field is of another case': () =>
    serveImitation(withPages({ '/api/version': { version: '1.0.0', engine: 'Troupe' } })),
  'an Ollama whose engine field is a list with our name': () =>
    serveImitation(withPages({ '/api/version': { version: '1.0.0', engine: ['troupe'] } })),
  'an Ollama whose engine field is null': () =>
    serveImitation(withPages({ '/api/version': { version: '1.0.0', engine: null } })),
  'our engine field without a list of models': () =>
    serveImitation(
      withPages({ '/api/version': { version: '1.0.0', engine: 'troupe' }, '/v1/models': page('no', { status: 404 }) }),
    ),
  'our engine field before a list with no ids': () =>
    serveImitation(
      withPages({ '/api/version': { version: '1.0.0', engine: 'troupe' }, '/v1/models': modelList({ name: 'x' }) }),
    ),
  '200 and an error for everything, as LM Studio has it': () =>
    serveImitation(everywhere({ error: 'Unexpected endpoint or method. (GET /x)' }, 'application/json')),
  'a list of models for everything': () =>
    serveImitation(everywhere(modelList({ id: 'x', created: 1, owned_by: 'y' }), 'application/json')),
  'nothing, with 200, for everything': () => serveImitation(everywhere('', 'text/plain')),
  'a web server with /v1/models as a page': () =>
    serveImitation({
      pages: { '/v1/models': page('<!doctype html><title>Models</title>', { type: 'text/html' }) },
      missing: { status: 404, type: 'text/html', body: '<h1>Not Found</h1>' },
    }),
  'a website': () =>
    serveImitation({
      pages: { '/': page('<!doctype html><title>Home</title>', { type: 'text/html' }) },
      missing: { status: 404, type: 'text/html', body: '<h1>Not Found</h1>' },
    }),
  'a website of one page, at every path': () =>
    serveImitation(everywhere('<!doctype html><title>App</title><div id="root"></div>', 'text/html')),
  'a page for everything that says Ollama is running': () =>
    serveImitation(everywhere('<p>Ollama is running</p>', 'text/html')),
  'a web server that asks for a password': () =>
    serveImitation({
      pages: {},
      missing: {
        status: 401,
        type: 'text/html',
        headers: { 'www-authenticate': 'Basic realm="x"' },
        body: '<h1>401</h1>',
      },
    }),
  'a port that accepts and says nothing': () => serveTcp(() => {}),
  'a port that accepts and closes': () => serveTcp((socket) => socket.end()),
  'a port that greets as SSH does': () => serveTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')),
  'a body without an end': () => serveHttp(endless('')),
  'a list of models in a body without an end': () => serveHttp(endless('{"object":"list","data":[{"id":"x"}]}')),
  'a header without an end': () =>
    serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(`x-${'a'.repeat(1000)}: b\r\n`));
      };
      socket.on('drain', more);
      more();
    }),
  'a list that is cut off': () =>
    serveTcp((socket) => {
      socket.end(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"object":"list","data":[]}',
      );
    }),
  'a redirect to a list': () =>
    serveHttp((request, response) => {
      if (request.url === '/list') response.end(JSON.stringify(modelList({ id: 'x' })));
      else response.writeHead(302, { location: '/list' }).end();
    }),
  'a list that is compressed though nobody asked': () =>
    serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' });
      response.end(JSON.stringify(modelList({ id: 'x' })));
    }),
};
