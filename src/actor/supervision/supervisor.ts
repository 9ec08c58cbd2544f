import { callback, invalidValue } from '../../base/index.js';
import { checkSpec } from './check-spec.js';
import { createHandle, findDynamic, type ChildHandle, type HandleOptions } from './handle.js';
import type { ChildSpec, SupervisorSpec } from './spec.js';
import { SupervisorNode } from './supervisor-node.js';
import type { EventListener, SupervisionEvent } from './tree.js';

/** A running supervision tree. */
export interface Supervisor extends ChildHandle {
  /**
   * Starts one more child after the present ones. Its position in its group and its `restart` decide about its death,
   * as theirs do. It is stopped in its turn. The tree shows it until `stopChild` or its handle stops it, also when it
   * has ended. Ids below a supervisor that is started so are known to its handle only. On a rejection the child is
   * gone. Errors: those of its start, `actor_spec_invalid`, `supervisor_full`, `actor_down` when this supervisor does
   * not run.
   */
  startChild(spec: SupervisorSpec, onEvent?: EventListener): Promise<Supervisor>;
  /** The same for one actor. */
  startChild(spec: ChildSpec, onEvent?: EventListener): Promise<ChildHandle>;
  /** Stops a child of `startChild`; settles when it is completely gone. Errors: `actor_unknown`, `invalid_value`. */
  stopChild(id: string): Promise<void>;
}

/**
 * Starts a supervision tree, children in order. An idle tree does not keep the process alive; calls under way do. When
 * a child does not start, stops everything again and rejects. Errors: `actor_spec_invalid`, `actor_start_failed`,
 * `actor_module_not_found`, and those of `started`.
 */
export async function createSupervisor(spec: SupervisorSpec, onEvent?: EventListener): Promise<Supervisor> {
  checkSpec(spec);
  const listeners = listenersWith(onEvent);
  const root = new SupervisorNode(spec, tellAll(listeners), (node) => node.mark('escalated'));
  await root.start();
  return createSupervisorHandle(root, { listeners, stop: () => root.stop('stopped') });
}

function createSupervisorHandle(node: SupervisorNode, options: Omit<HandleOptions, 'node'>): Supervisor {
  const startChild = async (spec: ChildSpec | SupervisorSpec, onEvent?: EventListener): Promise<ChildHandle> => {
    checkSpec(spec, (id) => id === spec.id && node.hasId(id));
    const listeners = listenersWith(onEvent);
    const child = await node.startChild(spec, tellAll(listeners));
    const its = { parent: node, listeners, stop: () => node.stopChild(child) };
    return child instanceof SupervisorNode ? createSupervisorHandle(child, its) : createHandle({ node: child, ...its });
  };
  return Object.assign(createHandle({ node, ...options }), {
    startChild: startChild as Supervisor['startChild'],
    stopChild: async (id: string) => node.stopChild(findDynamic(node, id)),
  });
}

function listenersWith(onEvent: EventListener | undefined): Set<EventListener> {
  if (onEvent !== undefined && !callback.accepts(onEvent)) throw invalidValue('onEvent', onEvent, callback.expected);
  return new Set(onEvent === undefined ? [] : [onEvent]);
}

function tellAll(listeners: ReadonlySet<EventListener>): EventListener {
  return (event: SupervisionEvent) => listeners.forEach((listener) => listener(event));
}
