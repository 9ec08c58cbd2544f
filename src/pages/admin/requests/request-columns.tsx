import type { VNode } from 'preact';
import type { Formats } from '../../data/index.js';
import { Badge, Time, type Column } from '../../kit/index.js';
import { LABELS, statusText } from '../../../words/index.js';
import type { LoggedRequest } from '../api/metrics-answers.js';

/** The columns of the list of requests. */
export function requestColumns(formats: Formats): readonly Column<LoggedRequest>[] {
  const ms = (value: number | null) => (value === null ? <span class="muted">–</span> : formats.duration(value));
  const text = (value: string | null) => value ?? <span class="muted">–</span>;
  return [
    { id: 'time', title: LABELS.time, width: 10, narrow: 8.25, cell: ({ time }) => <Time at={time} isShort /> },
    {
      id: 'status',
      title: LABELS.status,
      width: 9,
      narrow: 4.25,
      cell: (request) => <RequestStatus request={request} />,
    },
    { id: 'model', title: LABELS.model, width: 10, narrow: 7.5, cell: ({ model }) => text(model) },
    { id: 'runtime', title: LABELS.runtime, width: 7, cell: ({ runtime }) => text(runtime) },
    {
      id: 'key',
      title: LABELS.key,
      width: 7.5,
      cell: ({ key_id: id, key_name: name }) => text(name ?? id),
    },
    {
      id: 'tokens',
      title: LABELS.tokensInOut,
      width: 7.5,
      align: 'end',
      cell: ({ prompt_tokens: prompt, completion_tokens: completion, estimated }) =>
        `${estimated ? '≈ ' : ''}${formats.compact(prompt)} / ${formats.compact(completion)}`,
    },
    { id: 'first', title: LABELS.firstToken, width: 6, align: 'end', cell: ({ first_byte_ms: value }) => ms(value) },
    { id: 'duration', title: LABELS.duration, width: 6, align: 'end', cell: ({ duration_ms: value }) => ms(value) },
    {
      id: 'stream',
      title: LABELS.stream,
      width: 5,
      isExtra: true,
      cell: ({ stream }) => (stream ? 'yes' : <span class="muted">no</span>),
    },
  ];
}

/** A badge with the outcome of a request. */
export function RequestStatus({ request }: { readonly request: LoggedRequest }): VNode {
  const { status, error_code: code, aborted } = request;
  const text = statusText({ status, isAborted: aborted });
  if (aborted || status === 499) return <Badge tone="idle">{text}</Badge>;
  const isBad = status === null || status >= 500 || (code !== null && status < 400);
  return (
    <>
      <Badge tone={isBad ? 'bad' : status >= 400 ? 'warn' : 'good'}>{text}</Badge>
      {code !== null && <span class="muted"> {code}</span>}
    </>
  );
}
