import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import {
  ActionButton,
  DataTable,
  Dialog,
  Empty,
  FailureNote,
  Icon,
  SearchField,
  TextArea,
  Time,
  useKit,
  useRows,
  useStore,
  type Column,
} from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import type { PriceVersion } from '../api/operator-api.js';
import { useOperator } from '../operator-state.js';

/** Prices of models. */
export function PricesSection(): VNode {
  const { api } = useOperator();
  const { router, formats } = useKit();
  const { provider = '', all = '' } = useStore(router).query;
  const [isNew, setNew] = useState(false);
  const filters = { all: all !== '', ...(provider !== '' && { provider }) };
  const [rows, list] = useRows<PriceVersion>(
    (cursor, signal) => api.page('prices.list', 'prices', filters, cursor, signal),
    [provider, all],
  );
  const amount = (
    id: 'input' | 'cached_input' | 'cache_write' | 'output' | 'request' | 'image',
    title: string,
    width = 6,
  ): Column<PriceVersion> => ({
    id,
    title,
    width,
    align: 'end',
    cell: (price) => formats.money(price[id], price.currency),
  });
  const columns: readonly Column<PriceVersion>[] = [
    { id: 'model', title: LABELS.model, width: 13, narrow: 9.5, cell: ({ model }) => model },
    amount('input', LABELS.inputPrice),
    amount('output', LABELS.outputPrice),
    { id: 'provider', title: LABELS.provider, width: 9, cell: ({ provider: of }) => <code>{of}</code> },
    { id: 'from', title: LABELS.inForceFrom, width: 11, cell: ({ effective_from: at }) => <Time at={at} isShort /> },
    amount('cached_input', LABELS.cachedPrice),
    amount('cache_write', LABELS.cacheWritePrice, 8.5),
    amount('request', LABELS.request),
    amount('image', LABELS.image),
    { id: 'version', title: LABELS.version, width: 5.5, align: 'end', cell: ({ version }) => version },
  ];
  return (
    <div class="fill">
      <div class="toolbar">
        <SearchField
          isMain
          label="Provider"
          placeholder="openai, pgw/berlin"
          value={provider}
          onSearch={(value) => router.setQuery({ provider: value }, 'replace')}
        />
        <button
          type="button"
          class="button"
          aria-pressed={all !== ''}
          onClick={() => router.setQuery({ all: all === '' ? 'yes' : '' })}
        >
          All versions
        </button>
        <span class="toolbar-space" />
        <button type="button" class="button primary" onClick={() => setNew(true)}>
          <Icon name="plus" /> Import prices
        </button>
      </div>
      <DataTable
        label="Prices"
        state={rows}
        columns={columns}
        keyOf={(price) => `${price.provider} ${price.model} ${price.version}`}
        onMore={() => void list.more()}
        onReload={() => void list.reload()}
        empty={
          <Empty icon="metrics" title="There is no such price">
            A model can be called once it has a price.
          </Empty>
        }
      />
      {isNew && <ImportPrices onDone={() => void list.reload()} onClose={() => setNew(false)} />}
    </div>
  );
}

const EXAMPLE = 'provider,model,currency,input,output\npgw/berlin,llama3,USD,0.10,0.40\n';

function ImportPrices({ onDone, onClose }: { readonly onDone: () => void; readonly onClose: () => void }): VNode {
  const { api } = useOperator();
  const { notify, formats } = useKit();
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<ApiFailure>();
  const save = async (): Promise<void> => {
    const answer = await api.run<{ added: number }>('prices.import-text', { text, format: 'csv' });
    if (!answer.ok) return setFailure(answer.failure);
    notify(`${formats.counted(answer.value.added, 'price')} added`);
    onDone();
    onClose();
  };
  return (
    <Dialog
      title="Import prices"
      shape="wide"
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <ActionButton kind="primary" onAct={save}>
            Import
          </ActionButton>
        </>
      }
    >
      <TextArea
        label="Prices as CSV"
        hint="A line of names, then a line for each price. Input and output are units of the currency a million tokens. All are taken, or none."
        rows={10}
        placeholder={EXAMPLE}
        value={text}
        onInput={setText}
      />
      {failure !== undefined && <FailureNote failure={failure} />}
    </Dialog>
  );
}
