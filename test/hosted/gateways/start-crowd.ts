import { fork } from 'node:child_process';
import { once } from 'node:events';
import { badnessOf } from './crowd-server.js';

/** Gateways on one server, a path for each. */
export interface Crowd extends AsyncDisposable {
  readonly gateways: readonly { readonly slug: string; readonly baseUrl: string; readonly bad: string | undefined }[];
  /** How often each was asked. */
  asked(slug: string): number;
}

/** Starts `count` gateways in a process of their own. */
export async function startCrowd(count: number): Promise<Crowd> {
  const child = fork(new URL('./crowd-process.js', import.meta.url));
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const counts = new Map<string, number>();
  const slugOf = (index: number): string => `g${String(index).padStart(3, '0')}`;
  child.on('message', (message: { index: number; count: number }) => counts.set(slugOf(message.index), message.count));
  return {
    gateways: Array.from({ length: count }, (_, i) => ({
      slug: slugOf(i),
      baseUrl: `${url}/g${i}`,
      bad: badnessOf(i),
    })),
    asked: (slug) => counts.get(slug) ?? 0,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
