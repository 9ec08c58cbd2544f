import type { Placement } from '../actor.js';
import type { PlacementKind } from '../link.js';
import { inline } from './inline.js';
import { process } from './process.js';
import { thread } from './thread.js';

/** Every way to run an actor. */
export const placements = { inline, thread, process } as const satisfies Record<Placement, PlacementKind>;
