import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** The code of an error for a proxy that refuses the tunnel. */
export const PROXY_REFUSED = 'PROXY_REFUSED';

/**
 * Connections through a proxy: a tunnel by CONNECT (RFC 9110, 9.3.6) for http and https alike, in which `connect`
 * speaks TLS. It sends a name and a password in the URL of the proxy as Basic credentials.
 */
export function throughProxy(
  proxy: URL,
  connect: buildConnector.connector,
  timeoutMs: number,
): buildConnector.connector {
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    const authority = `${options.hostname}:${options.port || (isSecure ? 443 : 80)}`;
    const request = (proxy.protocol === 'https:' ? requestHttps : requestHttp)(proxy, {
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...credentialsOf(proxy) },
      timeout: timeoutMs,
      agent: false,
    });
    let isOver = false;
    const fail = (error: Error): void => {
      if (isOver) return;
      isOver = true;
      request.destroy();
      callback(error, null);
    };
    request.once('connect', (answer: IncomingMessage, socket: Socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        return fail(refusal(answer.statusCode));
      }
      if (isOver) return void socket.destroy();
      isOver = true;
      socket.setTimeout(0);
      socket.setNoDelay(true);
      if (isSecure) connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
    // A proxy that answers CONNECT as it does a page.
    request.once('response', ({ statusCode }) => fail(refusal(statusCode)));
    request.once('timeout', () =>
      fail(Object.assign(new Error('the proxy is silent'), { code: 'UND_ERR_CONNECT_TIMEOUT' })),
    );
    request.once('error', fail);
    request.end();
  };
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function refusal(status: number | undefined): Error {
  return Object.assign(new Error(`the proxy answered ${status}`), { code: PROXY_REFUSED });
}
