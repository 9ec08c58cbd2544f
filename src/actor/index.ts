// The actor runtime: supervision, placements, refs and rings. A product of its own.
export { Actor, type ActorContext, type Placement } from './actor.js';
export { callAgain, isLost } from './call/call-again.js';
export type { CallOptions } from './call/calls.js';
export { actorCodes } from './errors.js';
export { actorKey, type ActorKey } from './call/key.js';
export { withOptions, type Ref } from './call/ref.js';
export { type ChildSpec, type Restart, type Strategy, type SupervisorSpec } from './supervision/spec.js';
export type { ChildHandle } from './supervision/handle.js';
export { createSupervisor, type Supervisor } from './supervision/supervisor.js';
export { createRing, type RingHandle, type RingKind, type RingOptions } from './ring/ring.js';
export { openConsumer, type RingConsumer } from './ring/ring-consumer.js';
export { openProducer, type RingProducer } from './ring/ring-producer.js';
export type { EventListener, NodeState, SupervisionEvent, TreeNode } from './supervision/tree.js';
export { transfer } from './call/transfer.js';
