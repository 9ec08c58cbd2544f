import { AppError } from '../../base/index.js';
import { isLoopbackHost, type HttpHead } from '../../http/index.js';
import type { Desk } from './desk.js';
import { readKey } from './authenticate.js';

/** Headers by which proxies state another origin of a request. */
const FORWARDED: readonly string[] = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether a request is its operator's: from this machine and by its name, through no proxy, or with the admin token. */
export async function isOperator({ client, headers }: HttpHead, desk: Desk): Promise<boolean> {
  const name = headers.get('host')?.replace(/:\d+$/, '') ?? '';
  // A page that reached this machine by DNS rebinding has a name of its own.
  if (isLoopbackHost(client) && isLoopbackHost(name) && !FORWARDED.some((field) => headers.has(field))) return true;
  return headers.has('authorization') && (await desk.isAdmin(readKey(headers)));
}

/** Errors: `admin_token_invalid` where the request is not its operator's. */
export async function checkOperator(request: HttpHead, desk: Desk): Promise<void> {
  if (await isOperator(request, desk)) return;
  throw new AppError(
    'admin_token_invalid',
    'only this machine, or who sends the admin token, may see this; send it as Authorization: Bearer gwa_...',
  );
}
