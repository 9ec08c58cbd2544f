import type { VNode } from 'preact';
import { useKit } from '../page/kit.js';
import { Bar } from '../views/bar.js';
import type { TrafficPart } from '../../data/index.js';

/** Parts of the requests of a time, such as statuses: each with a bar against the largest. */
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

/** The colour of a status: refusals and failures as charts have them. */
export function statusColor({ name, errors }: TrafficPart): 1 | 3 | 4 {
  if (errors === 0) return 1;
  return Number(name) < 500 ? 3 : 4;
}

/** The colour of an error code, which refusals and failures may have. */
export function codeColor(): 4 {
  return 4;
}
