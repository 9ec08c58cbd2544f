import type { VNode } from 'preact';
import { plural } from '../../../words/index.js';

/** A line of a difference: `+` is added, `-` is removed, blank is context. */
export interface DiffLine {
  readonly kind: '+' | '-' | ' ';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** A line-based difference of two texts. */
export interface TextDiff {
  readonly hunks: readonly (readonly DiffLine[])[];
  readonly added: number;
  readonly removed: number;
  readonly truncated: boolean;
}

const WORDS = { '+': 'added', '-': 'removed', ' ': '' } as const;

/** Shows the difference of two texts. */
export function Diff({ diff, label }: { readonly diff: TextDiff; readonly label: string }): VNode {
  if (diff.hunks.length === 0) return <p class="muted">There is no difference.</p>;
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0}>
      <table>
        <caption class="visually-hidden">
          {label}: {plural(diff.added, '1 line', `${diff.added} lines`)} added, {diff.removed} removed
        </caption>
        {diff.hunks.map((hunk, i) => (
          <tbody key={i}>
            {hunk.map((line, at) => (
              <tr key={at} class={WORDS[line.kind]}>
                <td class="diff-number">{line.before}</td>
                <td class="diff-number">{line.after}</td>
                <td class="diff-sign">
                  <span aria-hidden="true">{line.kind}</span>
                  <span class="visually-hidden">{WORDS[line.kind]}</span>
                </td>
                <td class="diff-text">{line.text}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      {diff.truncated && <p class="hint">There is more than is shown here.</p>}
    </div>
  );
}
