import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Formats } from '../../data/index.js';
import {
  Badge,
  DataTable,
  Empty,
  Icon,
  Link,
  SearchField,
  useKit,
  useLoad,
  useStore,
  wholeRows,
  type Column,
} from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import { useAdmin } from '../admin.js';
import type { Model } from '../api/config-answers.js';
import { ModelDetails } from './model-details.js';
import { EditModel } from './model-dialogs.js';

/** Refresh interval of the targets' health, in milliseconds. */
const LOOK_MS = 10_000;

/** The models of the gateway: their targets and states, their prices, and a test message. */
export function ModelsSection(): VNode {
  const { api } = useAdmin();
  const { router, formats } = useKit();
  const { query } = useStore(router);
  const { search = '', open } = query;
  const models = useLoad((call) => api.models(call), [], LOOK_MS);
  const [isNew, setNew] = useState(false);
  const wanted = search.toLowerCase();
  const isWanted = ({ id, targets }: Model): boolean =>
    [id, ...targets.map(({ runtime, model }) => `${runtime}/${model}`)].some((text) =>
      text.toLowerCase().includes(wanted),
    );
  const etag = models.value?.config_etag ?? '';
  return (
    <div class="fill">
      <div class="toolbar">
        <SearchField
          isMain
          label="Search models and targets"
          value={search}
          onSearch={(value) => router.setQuery({ search: value }, 'replace')}
        />
        <span class="toolbar-space" />
        <button type="button" class="button primary" disabled={etag === ''} onClick={() => setNew(true)}>
          <Icon name="plus" /> New model
        </button>
      </div>
      <DataTable
        label="Models"
        state={wholeRows(models, ({ data }) => data.filter(isWanted))}
        columns={columnsOf(formats)}
        keyOf={({ id }) => id}
        onReload={models.reload}
        onOpen={({ id }) => router.setQuery({ open: id })}
        {...(open !== undefined && { openKey: open })}
        empty={
          search === '' ? (
            <Empty icon="model" title="There are no models yet.">
              <Link to="/runtimes">Look for runtimes</Link> and import their models, or add a model by hand.
            </Empty>
          ) : (
            <Empty icon="search" title="No model has this in its name or its targets." />
          )
        }
      />
      {open !== undefined && models.value !== undefined && (
        <ModelDetails
          id={open}
          model={models.value.data.find(({ id }) => id === open)}
          etag={etag}
          onChanged={models.reload}
          onClose={() => router.setQuery({ open: '' })}
        />
      )}
      {isNew && (
        <EditModel
          etag={etag}
          onSaved={() => {
            setNew(false);
            models.reload();
          }}
          onClose={() => setNew(false)}
        />
      )}
    </div>
  );
}

function columnsOf(formats: Formats): readonly Column<Model>[] {
  return [
    { id: 'id', title: LABELS.model, width: 14, narrow: 9, cell: ({ id }) => id },
    { id: 'state', title: LABELS.state, width: 9, narrow: 6.5, cell: (model) => <ModelState model={model} /> },
    {
      id: 'targets',
      title: 'Targets',
      width: 16,
      cell: ({ targets }) => targets.map(({ runtime, model }) => `${runtime}/${model}`).join(', '),
    },
    {
      id: 'running',
      title: LABELS.underWay,
      width: 7,
      align: 'end',
      cell: ({ targets }) => formats.count(targets.reduce((sum, { running }) => sum + running, 0)),
    },
    {
      id: 'price',
      title: 'Price of a million, in / out',
      width: 12,
      align: 'end',
      cell: ({ price }) =>
        price === null ? (
          <span class="muted">none</span>
        ) : (
          `${formats.money(price.input_per_million, price.currency)} / ${formats.money(price.output_per_million, price.currency)}`
        ),
    },
    {
      id: 'tokens',
      title: 'Longest answer',
      width: 7.5,
      isExtra: true,
      align: 'end',
      cell: ({ max_output_tokens: tokens }) =>
        tokens === null ? <span class="muted">no limit</span> : formats.count(tokens),
    },
  ];
}

function ModelState({ model: { targets } }: { readonly model: Model }): VNode {
  const numReady = targets.filter(({ healthy, ejected, breaker }) => healthy && !ejected && breaker !== 'open').length;
  if (numReady === targets.length) return <Badge tone="good">ready</Badge>;
  return numReady === 0 ? (
    <Badge tone="bad">no target answers</Badge>
  ) : (
    <Badge tone="warn">{`${numReady} of ${targets.length} targets`}</Badge>
  );
}
