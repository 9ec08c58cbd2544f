import type { VNode } from 'preact';
import { Badge } from '../views/badge.js';

const TONES = { ok: 'good', refused: 'warn', failed: 'bad' } as const;

/** How an action ended. */
export function Outcome({ outcome }: { readonly outcome: string }): VNode {
  const tone = Object.hasOwn(TONES, outcome) ? TONES[outcome as keyof typeof TONES] : 'idle';
  return <Badge tone={tone}>{outcome}</Badge>;
}
