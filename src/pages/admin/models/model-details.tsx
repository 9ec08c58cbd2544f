import type { VNode } from 'preact';
import { toAddress } from '../../data/index.js';
import { Badge, Dialog, Empty, Facts, Link, useKit } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { Model, Target } from '../api/config-answers.js';
import { EntryButtons } from '../entry-acts.js';
import { EditModel } from './model-dialogs.js';
import { TryModel } from './try-model.js';

/** One model: its targets with their health, and a test message. */
export function ModelDetails(props: {
  readonly id: string;
  /** Undefined: the gateway has no model with this id. */
  readonly model: Model | undefined;
  readonly etag: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}): VNode {
  const { id, model, etag, onChanged, onClose } = props;
  const { api } = useAdmin();
  const { formats } = useKit();
  if (model === undefined) {
    return (
      <Dialog title={id} shape="side" onClose={onClose}>
        <Empty icon="model" title="The gateway has no model of this name." />
      </Dialog>
    );
  }
  const { price, max_output_tokens: tokens } = model;
  return (
    <Dialog title={id} shape="side" onClose={onClose}>
      <div class="toolbar">
        <EntryButtons
          id={id}
          edit={(ways) => <EditModel shown={model} etag={etag} {...ways} />}
          remove={() => api.removeModel(id, etag)}
          warning={
            <p>
              It is taken out of gateway.yaml. Clients that ask for it get 404. The text before stays in the history.
            </p>
          }
          onChanged={onChanged}
          onRemoved={onClose}
        />
        <span class="toolbar-space" />
        <Link to={toAddress({ path: '/metrics', query: { model: id } })}>Metrics</Link>
        <Link to={toAddress({ path: '/requests', query: { model: id } })}>Requests</Link>
      </div>
      <Facts
        facts={[
          [
            'Price of a million tokens',
            price === null
              ? 'none'
              : `${formats.money(price.input_per_million, price.currency)} in, ${formats.money(price.output_per_million, price.currency)} out`,
          ],
          ['Longest answer', tokens === null ? 'no limit' : formats.counted(tokens, 'token')],
        ]}
      />
      <Targets targets={model.targets} />
      <TryModel key={id} id={id} />
    </Dialog>
  );
}

function Targets({ targets }: { readonly targets: readonly Target[] }): VNode {
  const { formats } = useKit();
  const inOrder = targets.toSorted((a, b) => a.order - b.order || b.weight - a.weight);
  return (
    <div class="scroll-x" role="region" aria-label="Targets" tabIndex={0}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col" class="end">
              Order
            </th>
            <th scope="col" class="end">
              Weight
            </th>
            <th scope="col" class="end">
              Under way
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {inOrder.map((target) => (
            <tr key={`${target.runtime}/${target.model}`}>
              <th scope="row">
                <Link to={toAddress({ path: '/runtimes', query: { tab: 'runtimes', open: target.runtime } })}>
                  {target.runtime}
                </Link>
                <div class="muted">{target.model}</div>
              </th>
              <td class="end">{target.order}</td>
              <td class="end">{target.weight}</td>
              <td class="end">{formats.count(target.running)}</td>
              <td>
                <TargetState target={target} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether a target receives requests; if not, the reason. */
export function TargetState({ target }: { readonly target: Target }): VNode {
  if (!target.healthy) return <Badge tone="bad">away</Badge>;
  if (target.ejected) return <Badge tone="warn">left out: too many errors</Badge>;
  if (target.breaker === 'open') return <Badge tone="bad">breaker open</Badge>;
  return target.breaker === 'closed' ? <Badge tone="good">ready</Badge> : <Badge tone="warn">being tried</Badge>;
}
