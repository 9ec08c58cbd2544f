import type { VNode } from 'preact';
import { useKit } from '../page/kit.js';
import { Bar } from '../views/bar.js';
import type { TrafficPart } from '../../data/index.js';

/** Parts of the requests in a time range, such as statuses. Each has a bar relative to the largest. */
export function PartBars(props: {
  readonly parts: readonly TrafficPart[];
  readonly colorOf: (part: TrafficPart) => 1 | 3 | 4;
  readonly nameOf?: (name: string) => VNode | string;
  readonly hintOf?: (part: TrafficPart) => string;
}): VNode {
  const { parts, colorOf, nameOf = (name) => name, hintOf = () => '' } = props;
  const { formats } = useKit();
  const top = Math.max(1, ...parts.map(({ requests }) => requests));
  if (parts.length === 0) return <p class="muted">There were none.</p>;
  return (
    <ol class="bars">
      {parts.map((part) => (
        <Bar
          key={part.name}
          name={nameOf(part.name)}
          hint={hintOf(part)}
          share={part.requests / top}
          value={formats.compact(part.requests)}
          color={colorOf(part)}
        />
      ))}
    </ol>
  );
}

/** The colour of a status. Refusals and failures have the same colours as in charts. */
export function statusColor({ name, errors }: TrafficPart): 1 | 3 | 4 {
  if (errors === 0) return 1;
  return Number(name) < 500 ? 3 : 4;
}

/** The colour of an error code, which may mean a refusal or a failure. */
export function codeColor(): 4 {
  return 4;
}
