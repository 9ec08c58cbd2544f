import type { VNode } from 'preact';
import { Badge } from '../../kit/index.js';
import { troubleText } from '../../../words/index.js';
import type { Runtime } from '../api/runtime-answers.js';

/** Whether a runtime receives requests; if not, the reason. */
export function RuntimeState({ runtime: { healthy, trouble } }: { readonly runtime: Runtime }): VNode {
  return healthy ? <Badge tone="good">healthy</Badge> : <Badge tone="bad">{troubleText(trouble)}</Badge>;
}
