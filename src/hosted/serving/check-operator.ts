import { AppError } from '../../base/index.js';
import type { HttpHead } from '../../http/index.js';
import type { HostedContext } from './hosted-route.js';

/** Headers by which proxies state another origin of a request. */
const OF_PROXIES: readonly string[] = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Whether a request is from where its operator may be, and came straight from there. */
export function isOperator({ client, headers }: HttpHead, context: Pick<HostedContext, 'isOperator'>): boolean {
  return context.isOperator(client) && !OF_PROXIES.some((name) => headers.has(name));
}

/** Errors: `operator_only`. */
export function checkOperator(request: HttpHead, context: Pick<HostedContext, 'isOperator'>): void {
  if (isOperator(request, context)) return;
  throw new AppError('operator_only', 'this is for addresses of metrics_from in hosted.yaml, and for no proxy');
}
