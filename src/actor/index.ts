// The actor runtime: supervision, placements, refs and rings. A product of its own.
export { Actor, type ActorContext, type Placement } from './actor.js';
export { callAgain, isLost } from './call-again.js';
export type { CallOptions } from './calls.js';
export { actorCodes } from './errors.js';
export { withOptions, type Ref } from './ref.js';
export { type ChildSpec, type Restart, type Strategy, type SupervisorSpec } from './spec.js';
export { createSupervisor, type Supervisor } from './supervisor.js';
export { createRing, type RingHandle, type RingKind, type RingOptions } from './ring.js';
export { openConsumer, type RingConsumer } from './ring-consumer.js';
export { openProducer, type RingProducer } from './ring-producer.js';
export type { EventListener, NodeState, SupervisionEvent, TreeNode } from './tree.js';
export { transfer } from './transfer.js';
