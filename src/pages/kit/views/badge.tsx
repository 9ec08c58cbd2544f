import type { ComponentChildren, VNode } from 'preact';

/** The meaning of a state for the reader. */
export type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'info';

/** A state as a word with a coloured mark. The word has the meaning too, so colour is never the only sign. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): VNode {
  return <span class={`badge ${tone}`}>{children}</span>;
}
