import type { KeyState } from '../../data/index.js';
import type { VNode } from 'preact';
import { Badge } from '../../kit/index.js';

const TONES = { active: 'good', disabled: 'idle', revoked: 'bad', expired: 'warn' } as const;

/** The key states that lists can filter by. */
export const KEY_STATES = [
  ['active', 'active'],
  ['disabled', 'disabled'],
  ['revoked', 'revoked'],
  ['expired', 'expired'],
] as const satisfies readonly (readonly [KeyState, string])[];

/** A badge with the state of a key. */
export function KeyStateBadge({ state }: { readonly state: KeyState }): VNode {
  return <Badge tone={TONES[state]}>{state}</Badge>;
}
