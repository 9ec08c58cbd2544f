import type { VNode } from 'preact';
import { toAddress } from '../../data/index.js';
import { Dialog, Facts, Link, LoadedView, Time, useKit, useLoad } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { OneRequest, TimelineEvent } from '../api/metrics-answers.js';
import { RequestStatus } from './request-columns.js';

/** One request: its facts, and its events over time. */
export function RequestDetails({ seq, onClose }: { readonly seq: string; readonly onClose: () => void }): VNode {
  const { api } = useAdmin();
  const loaded = useLoad((call) => api.oneRequest(seq, call), [seq]);
  return (
    <Dialog title={`Request ${seq}`} shape="side" onClose={onClose}>
      <LoadedView loaded={loaded} lines={10}>
        {(one) => (
          <div class="form">
            <RequestStatus request={one.request} />
            <Timeline events={one.timeline} />
            <RequestFacts one={one} />
          </div>
        )}
      </LoadedView>
    </Dialog>
  );
}

const NAMES = { received: 'Received', admitted: 'Admitted', first_byte: 'First token', ended: 'Ended' } as const;
/** The name of the time before an event. */
const SPANS = { received: '', admitted: 'waited', first_byte: 'runtime at work', ended: 'answer sent' } as const;

/** The events as steps with the time between them, each as wide as its duration. */
function Timeline({ events }: { readonly events: readonly TimelineEvent[] }): VNode {
  const { formats } = useKit();
  const total = Math.max(1, events.at(-1)?.at_ms ?? 1);
  return (
    <section class="form" aria-label="Timeline">
      <h3 class="part-title">Timeline</h3>
      <div class="timeline-bar" aria-hidden="true">
        {events.map(({ event, at_ms: at }, i) => {
          const from = events[i - 1]?.at_ms ?? 0;
          return i === 0 ? null : <span key={event} class={event} style={{ flexGrow: (at - from) / total }} />;
        })}
      </div>
      <ol class="timeline">
        {events.map(({ event, at_ms: at, note }, i) => (
          <li key={event} class={event}>
            <span class="timeline-name">{NAMES[event]}</span>
            <span class="number">{formats.duration(at)}</span>
            <span class="muted">
              {[i === 0 ? '' : `${formats.duration(at - (events[i - 1]?.at_ms ?? 0))} ${SPANS[event]}`, note ?? '']
                .filter((part) => part !== '')
                .join(' · ')}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function RequestFacts({ one: { request, attempts, tokens_per_s: speed } }: { readonly one: OneRequest }): VNode {
  const { formats } = useKit();
  const { key_id: key, key_name: keyName, runtime, model, upstream_model: upstream } = request;
  return (
    <Facts
      facts={[
        ['Time', <Time at={request.time} />],
        ['Request id', <code>{request.request_id}</code>],
        ['Path', request.route],
        [
          'Model',
          model === null ? null : <Link to={toAddress({ path: '/models', query: { open: model } })}>{model}</Link>,
        ],
        [
          'Runtime',
          runtime === null ? null : (
            <>
              <Link to={toAddress({ path: '/runtimes', query: { tab: 'runtimes', open: runtime } })}>{runtime}</Link>
              {upstream !== null && ` / ${upstream}`}
            </>
          ),
        ],
        [
          'Key',
          key === null ? null : <Link to={toAddress({ path: '/keys', query: { open: key } })}>{keyName ?? key}</Link>,
        ],
        ['Sent to a runtime', attempts === null ? null : formats.counted(attempts, 'time')],
        ['Stream', request.stream ? 'yes' : 'no'],
        [
          'Prompt tokens',
          `${formats.count(request.prompt_tokens)}, ${formats.count(request.cached_tokens)} from the cache`,
        ],
        [
          'Completion tokens',
          `${formats.count(request.completion_tokens)}, ${formats.count(request.reasoning_tokens)} of thinking`,
        ],
        ['Counted by', request.estimated ? 'the gateway, estimated' : 'the runtime'],
        ['Tokens a second', speed === null ? null : formats.count(speed)],
        ['Bytes in / out', `${formats.bytes(request.bytes_in)} / ${formats.bytes(request.bytes_out)}`],
        ['Error', request.error_code],
      ]}
    />
  );
}
