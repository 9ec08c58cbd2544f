import type { VNode } from 'preact';
import type { Formats } from '../../data/index.js';
import { Badge, type Column } from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import type { Finding } from '../api/runtime-answers.js';

/** Whether a finding can be imported: its kind is proven, and the file does not contain it. */
export function canImport({ fingerprint, novelty }: Finding): boolean {
  return fingerprint !== null && novelty !== null && novelty !== 'known';
}

/** The columns of the table of findings. */
export function findingColumns(
  formats: Formats,
  ticked: ReadonlySet<string>,
  onTick: (url: string, isTicked: boolean) => void,
): readonly Column<Finding>[] {
  return [
    {
      id: 'url',
      title: LABELS.address,
      width: 12,
      narrow: 9,
      // Every address of a scan begins with the same text.
      cell: ({ url }) => (
        <span class="mono">
          <span class="visually-hidden">http://</span>
          {url.replace(/^http:\/\//, '')}
        </span>
      ),
    },
    {
      id: 'import',
      title: 'Import',
      width: 4.5,
      narrow: 3.75,
      cell: (finding) => (
        <label class="tick">
          <input
            type="checkbox"
            aria-label={`Import ${finding.url}`}
            disabled={!canImport(finding)}
            checked={ticked.has(finding.url)}
            onChange={(event) => onTick(finding.url, event.currentTarget.checked)}
          />
        </label>
      ),
    },
    {
      id: 'state',
      title: 'What it is',
      width: 14,
      narrow: 8.75,
      cell: (finding) => (
        <>
          <FindingState finding={finding} /> <span class="muted">{kindOf(finding)}</span>
        </>
      ),
    },
    {
      id: 'models',
      title: LABELS.models,
      width: 9.5,
      cell: ({ models }) =>
        models === null ? (
          <span class="muted">–</span>
        ) : (
          <span title={models.join(', ')}>
            {formats.count(models.length)}
            {models.length > 0 && `: ${models.join(', ')}`}
          </span>
        ),
    },
    {
      id: 'proof',
      title: 'Proof, or why not',
      width: 16,
      cell: ({ proof, reason }) => {
        const text = reason ?? proof;
        return text === null ? <span class="muted">–</span> : <span title={text}>{text}</span>;
      },
    },
    {
      id: 'novelty',
      title: 'In the file',
      width: 6.5,
      cell: (finding) => <Novelty finding={finding} />,
    },
  ];
}

/** The kind and the version of a runtime, as far as known. */
function kindOf({ kind, title, version }: Finding): string {
  return kind === null ? '' : [title ?? kind, version].filter((part) => part !== null).join(' ');
}

/** A badge with the state of a finding. */
export function FindingState({ finding }: { readonly finding: Finding }): VNode {
  switch (finding.state) {
    case 'found':
      return <Badge tone="good">runtime</Badge>;
    case 'auth':
      return <Badge tone="warn">runtime, asks for a key</Badge>;
    case 'impostor':
      return <Badge tone="bad">impostor</Badge>;
    default:
      if (finding.kind !== null) return <Badge tone="idle">runtime of no use here</Badge>;
      return <Badge tone="idle">{finding.answered ? 'not a model server' : 'said nothing of itself'}</Badge>;
  }
}

function Novelty({ finding: { novelty } }: { readonly finding: Finding }): VNode {
  if (novelty === null) return <span class="muted">–</span>;
  if (novelty === 'known') return <span class="muted">yes</span>;
  return novelty === 'new' ? <Badge tone="info">new</Badge> : <Badge tone="warn">changed</Badge>;
}
