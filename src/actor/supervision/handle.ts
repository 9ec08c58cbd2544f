import { AppError, invalidValue } from '../../base/index.js';
import type { Actor } from '../actor.js';
import { idOfKey, type ActorKey } from '../call/key.js';
import { createRef, type Ref } from '../call/ref.js';
import { Child } from './child.js';
import { SupervisorNode, type Member } from './supervisor-node.js';
import type { EventListener, TreeNode } from './tree.js';

/** A part of a supervision tree, as its starter holds it. Ids are unique in it, and not known outside of it. */
export interface ChildHandle extends AsyncDisposable {
  /** The id in its spec. */
  readonly id: string;
  /**
   * A ref to the actor of `key`, anywhere in the tree except below children that were started later. Errors:
   * `actor_unknown`, `invalid_value`.
   */
  ref<A extends Actor>(key: ActorKey<A>): Ref<A>;
  /** The live tree, as data. */
  tree(): TreeNode;
  /** False once the tree has given up or was stopped. */
  readonly ready: boolean;
  /** Stops everything in reverse order. A child that was started later also leaves its parent's tree. Idempotent. */
  stop(): Promise<void>;
  /** Calls `listener` with every event; the returned function removes it. */
  onEvent(listener: EventListener): () => void;
  /** Ends an actor with `reason` or `actor_killed`, as if it had crashed. Errors: `actor_unknown`, `actor_down`. */
  kill(id: string, reason?: AppError): void;
  /** Stops an actor in order and starts it again; not counted against the intensity. */
  restart(id: string): Promise<void>;
}

/** Finds a child of the tree by its id; for the module itself. Errors: `actor_unknown`. */
export type ChildFinder = (id: string) => Child;

/** Key of the child finder that a handle gives to the module's own fault injection. */
export const childFinder = Symbol('troupe.childFinder');

/** The node of a handle, and how to stop it. */
export interface HandleOptions {
  readonly node: Member;
  /** The node's parent; absent for the root. */
  readonly parent?: SupervisorNode;
  readonly listeners: Set<EventListener>;
  readonly stop: () => Promise<void>;
}

/** A handle of `node`. */
export function createHandle({ node, parent, listeners, stop }: HandleOptions): ChildHandle {
  const { id: root } = node;
  const find: ChildFinder = (id) => {
    const found = locate(node, parent, id);
    if (found?.child instanceof Child) return found.child;
    throw unknownActor(root, id);
  };
  let stopping: Promise<void> | undefined;
  const handle = {
    [childFinder]: find,
    id: root,
    ref: <A extends Actor>(key: ActorKey<A>) => createRef<A>(find(idOfKey(key))),
    tree: () => node.toTree(),
    get ready() {
      return node.running;
    },
    stop: () => (stopping ??= stop()),
    onEvent(listener: EventListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    kill: (id: string, reason?: AppError) => find(id).kill(reason),
    restart(id: string) {
      const found = locate(node, parent, id);
      if (found === undefined) return Promise.reject(unknownActor(root, id));
      return found.parent.restart(found.child);
    },
    [Symbol.asyncDispose]: () => handle.stop(),
  };
  return handle;
}

/** The child of `node` that was started later under `id`. Errors: `actor_unknown`; `invalid_value` for a child of the spec. */
export function findDynamic(node: SupervisorNode, id: string): Member {
  const child = node.children.find((one) => one.id === id);
  if (child === undefined) throw unknownActor(node.id, id);
  if (!node.isDynamic(child)) throw invalidValue('id', id, 'that of a child which startChild has started');
  return child;
}

interface Located {
  readonly parent: SupervisorNode;
  readonly child: Member;
}

function locate(node: Member, parent: SupervisorNode | undefined, id: string): Located | undefined {
  if (node instanceof Child) return node.id === id && parent !== undefined ? { parent, child: node } : undefined;
  for (const child of node.children) {
    if (child.id === id) return { parent: node, child };
    const isOpen = child instanceof SupervisorNode && !node.isDynamic(child);
    const deeper = isOpen ? locate(child, node, id) : undefined;
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function unknownActor(supervisor: string, id: string): AppError {
  return new AppError('actor_unknown', `supervisor "${supervisor}" has no actor "${id}"`, { supervisor, actor: id });
}
