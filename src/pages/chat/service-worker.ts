// Caches the last received page and opens it while the server does not answer. It never caches answers or models.

/** The used part of a service worker's globals. TypeScript's library would add all other globals of a worker. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface WorkerScope extends EventTarget {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly location: Location;
}

const scope = globalThis as typeof globalThis & WorkerScope;
const CACHE = 'troupe-page';
const ASSET = /^\/assets\//;

/** Caches the document with its files, all or none. A new document then never gets old files. */
async function keepPage(document: Response): Promise<void> {
  const html = await document.clone().text();
  const paths = Array.from(html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path = '']) => path);
  const cache = await caches.open(CACHE);
  await cache.addAll(paths);
  await cache.put('/', document);
  const kept = await cache.keys();
  const old = kept.filter(({ url }) => ![...paths, '/'].includes(new URL(url).pathname));
  await Promise.all(old.map((request) => cache.delete(request)));
}

/** Returns the server's document, or the cached one if the server does not answer. */
async function openDocument(event: FetchEvent): Promise<Response> {
  try {
    const answer = await fetch(event.request);
    // Another program may listen on the port by now. Its answer is shown but not cached.
    const isPage = answer.ok && answer.headers.has('content-security-policy');
    if (isPage) event.waitUntil(keepPage(answer.clone()).catch(() => {}));
    return answer;
  } catch (error) {
    const kept = await caches.match('/');
    if (kept === undefined) throw error;
    return kept;
  }
}

async function openAsset(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}

scope.addEventListener('install', (event) => {
  const whole = fetch('/', { headers: { accept: 'text/html' } }).then(keepPage);
  (event as WorkerEvent).waitUntil(whole.then(() => scope.skipWaiting()));
});
scope.addEventListener('activate', (event) => (event as WorkerEvent).waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (given) => {
  const event = given as FetchEvent;
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== scope.location.origin) return;
  if (request.mode === 'navigate' && url.pathname === '/') event.respondWith(openDocument(event));
  else if (ASSET.test(url.pathname)) event.respondWith(openAsset(request));
});
