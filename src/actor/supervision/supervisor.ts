import { AppError, callback, invalidValue } from '../../base/index.js';
import type { Actor } from '../actor.js';
import { Child } from './child.js';
import { idOfKey, type ActorKey } from '../call/key.js';
import { createRef, type Ref } from '../call/ref.js';
import { checkSpec, type SupervisorSpec } from './spec.js';
import { SupervisorNode } from './supervisor-node.js';
import type { EventListener, SupervisionEvent, TreeNode } from './tree.js';

/** A running supervision tree. */
export interface Supervisor extends AsyncDisposable {
  /** A ref to the actor of `key`, anywhere in the tree. Errors: `actor_unknown`, `invalid_value`. */
  ref<A extends Actor>(key: ActorKey<A>): Ref<A>;
  /** The live tree, as data. */
  tree(): TreeNode;
  /** False once the tree has given up or was stopped. */
  readonly ready: boolean;
  /** Stops everything, in reverse. Idempotent. */
  stop(): Promise<void>;
  /** Calls `listener` with what happens; the returned function ends that. */
  onEvent(listener: EventListener): () => void;
  /** Ends an actor as if it had crashed, of `reason` or `actor_killed`. Errors: `actor_unknown`, `actor_down`. */
  kill(id: string, reason?: AppError): void;
  /** Stops an actor in order and starts it again; not counted against the intensity. */
  restart(id: string): Promise<void>;
}

/** A child of the tree by its id; for the room itself. Errors: `actor_unknown`. */
export type ChildFinder = (id: string) => Child;

/** Under this key a supervisor gives its children to the room's own fault injection. */
export const childFinder = Symbol('troupe.childFinder');

/**
 * Starts a supervision tree, children in order. An idle tree does not keep the process alive; calls under way do.
 * Rejects, with everything stopped again, when a child does not start. Errors: `actor_spec_invalid`,
 * `actor_start_failed`, `actor_module_not_found`, and what `started` threw.
 */
export async function createSupervisor(spec: SupervisorSpec, onEvent?: EventListener): Promise<Supervisor> {
  checkSpec(spec);
  if (onEvent !== undefined && !callback.accepts(onEvent)) throw invalidValue('onEvent', onEvent, callback.expected);
  const listeners = new Set<EventListener>(onEvent === undefined ? [] : [onEvent]);
  const emit = (event: SupervisionEvent): void => listeners.forEach((listener) => listener(event));
  const root = new SupervisorNode(spec, emit, (node) => node.mark('escalated'));
  await root.start();

  const find: ChildFinder = (id) => {
    const found = locate(root, id);
    if (found?.child instanceof Child) return found.child;
    throw unknownActor(spec.id, id);
  };
  let stopping: Promise<void> | undefined;
  const supervisor = {
    [childFinder]: find,
    ref: <A extends Actor>(key: ActorKey<A>) => createRef<A>(find(idOfKey(key))),
    tree: () => root.toTree(),
    get ready() {
      return root.running;
    },
    stop: () => (stopping ??= root.stop('stopped')),
    onEvent(listener: EventListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    kill: (id: string, reason?: AppError) => find(id).kill(reason),
    restart(id: string) {
      const found = locate(root, id);
      if (found === undefined) return Promise.reject(unknownActor(spec.id, id));
      return found.parent.restart(found.child);
    },
    [Symbol.asyncDispose]: () => supervisor.stop(),
  };
  return supervisor;
}

interface Located {
  readonly parent: SupervisorNode;
  readonly child: Child | SupervisorNode;
}

function locate(parent: SupervisorNode, id: string): Located | undefined {
  for (const child of parent.children) {
    if (child.id === id) return { parent, child };
    const deeper = child instanceof SupervisorNode ? locate(child, id) : undefined;
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function unknownActor(supervisor: string, id: string): AppError {
  return new AppError('actor_unknown', `supervisor "${supervisor}" has no actor "${id}"`, { supervisor, actor: id });
}
