import { AppError } from '../../base/index.js';
import { isLoopbackHost, type HttpHead } from '../../http/index.js';
import type { RelayHost } from './relay-host.js';
import { readGatewayKey } from './authenticate.js';

/** Headers by which proxies state another origin of a request. */
const FORWARDED: readonly string[] = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/**
 * Whether a request comes from the operator: from this machine under its own name and through no proxy, or with the
 * admin token.
 */
export async function isOperator({ client, headers }: HttpHead, host: RelayHost): Promise<boolean> {
  const name = headers.get('host')?.replace(/:\d+$/, '') ?? '';
  // A page that reached this machine by DNS rebinding sends another host name.
  if (isLoopbackHost(client) && isLoopbackHost(name) && !FORWARDED.some((field) => headers.has(field))) return true;
  return headers.has('authorization') && (await host.isAdmin(readGatewayKey(headers)));
}

/** Errors: `admin_token_invalid` where the request is not its operator's. */
export async function checkOperator(request: HttpHead, host: RelayHost): Promise<void> {
  if (await isOperator(request, host)) return;
  throw new AppError(
    'admin_token_invalid',
    'only this machine, or who sends the admin token, may see this; send it as Authorization: Bearer gwa_...',
  );
}
