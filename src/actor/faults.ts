// Fault injection for tests. It adds nothing to the path of a message until `killAtMessage` is called.
import { assert, invalidValue } from '../base/index.js';
import type { LinkWrapper } from './supervision/child.js';
import { childFinder, type ChildFinder } from './supervision/handle.js';
import type { Supervisor } from './supervision/supervisor.js';

/** A planned death of an actor. */
export interface Fault {
  /** Messages to the actor since the fault was set. */
  readonly messages: number;
  /** Whether the death has come. */
  readonly fired: boolean;
  /** Cancels it. */
  clear(): void;
}

/**
 * Kills the actor `id` once, at its `n`-th message from now on (from 1; calls and stream pulls). `before`: before the
 * message is delivered. `after`: after its answer, before the caller gets it. Errors: `actor_unknown`, `invalid_value`.
 */
export function killAtMessage(
  supervisor: Supervisor,
  id: string,
  n: number,
  when: 'before' | 'after' = 'before',
): Fault {
  const find = Reflect.get(supervisor, childFinder) as ChildFinder | undefined;
  assert(find !== undefined, 'faults take a supervisor of createSupervisor');
  if (!(n >= 1)) throw invalidValue('n', n, 'a whole number from 1 on');
  if (!['before', 'after'].includes(when)) throw invalidValue('when', when, 'before or after');
  const child = find(id);
  let messages = 0;
  let fired = false;
  const wrap: LinkWrapper = (link, kill) => {
    const at = async <T>(deliver: () => Promise<T>): Promise<T> => {
      messages++;
      if (fired || messages < n) return deliver();
      fired = true;
      if (when === 'after') await deliver();
      kill();
      return new Promise<T>(() => {});
    };
    return {
      ...link,
      call: (...message) => at(() => link.call(...message)),
      pull: (...message) => at(() => link.pull(...message)),
    };
  };
  child.wrapLinks(wrap);
  return {
    get messages() {
      return messages;
    },
    get fired() {
      return fired;
    },
    clear: () => child.wrapLinks(undefined),
  };
}
