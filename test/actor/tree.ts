import {
  type ChildSpec,
  type Placement,
  type SupervisionEvent,
  type Supervisor,
  type SupervisorSpec,
  createSupervisor,
} from '../../src/actor/index.js';

/** The module of the actors that the suites supervise. */
export const fixtures = new URL('./fixtures/worker-bee.js', import.meta.url);

/** A child spec with what most suites want. */
export function bee(spec: Partial<ChildSpec> & { placement: Placement }): ChildSpec {
  return {
    id: 'bee',
    actor: { module: fixtures, name: 'WorkerBee' },
    init: { start: 0 },
    restart: 'permanent',
    shutdownMs: 1_000,
    ...spec,
  };
}

/** A supervisor over `children` with what most suites want, and what it told so far. */
export async function tree(
  children: SupervisorSpec['children'],
  spec: Partial<SupervisorSpec> = {},
): Promise<{ supervisor: Supervisor; events: SupervisionEvent[] }> {
  const events: SupervisionEvent[] = [];
  const whole = { id: 'top', strategy: 'oneForOne', intensity: 10, periodMs: 5_000, children, ...spec } as const;
  const supervisor = await createSupervisor(whole, (event) => events.push(event));
  return { supervisor, events };
}

/** Settles when `supervisor` tells of an event of `type`, of `id` if given. */
export function nextEvent(
  supervisor: Supervisor,
  type: SupervisionEvent['type'],
  id?: string,
): Promise<SupervisionEvent> {
  return new Promise((resolve) => {
    const off = supervisor.onEvent((event) => {
      if (event.type !== type || (id !== undefined && event.id !== id)) return;
      off();
      resolve(event);
    });
  });
}
