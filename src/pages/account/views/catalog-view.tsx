import type { VNode } from 'preact';
import {
  Badge,
  DataTable,
  Empty,
  SearchField,
  useKit,
  useLoad,
  useStore,
  wholeRows,
  type Column,
} from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import { useAccount } from '../account-page.js';
import type { CatalogModel } from '../api/account-api.js';

/** Places by which the decimal point moves from a price per token to a price per million tokens. */
const MILLION_DECIMALS = 6;

/** Every callable model with its price. */
export function CatalogView(): VNode {
  const { api, root } = useAccount();
  const { router, formats } = useKit();
  const { search = '' } = useStore(router).query;
  const loaded = useLoad(({ signal }) => api.catalog(signal), []);
  const word = search.toLowerCase();
  const rows = wholeRows(loaded, ({ data }) =>
    data.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(word)),
  );
  const price = (text: string, { currency }: CatalogModel): string => formats.money(toMillion(text), currency);
  const base = `${location.origin}${root.replace(/\/$/, '')}`;
  const columns: readonly Column<CatalogModel>[] = [
    { id: 'model', title: LABELS.model, width: 13, narrow: 9.5, cell: ({ model }) => model },
    {
      id: 'input',
      title: LABELS.inputPrice,
      width: 6.5,
      narrow: 6,
      align: 'end',
      cell: (e) => price(e.pricing.prompt, e),
    },
    {
      id: 'output',
      title: LABELS.outputPrice,
      width: 6.5,
      narrow: 6,
      align: 'end',
      cell: (e) => price(e.pricing.completion, e),
    },
    {
      id: 'ready',
      title: LABELS.state,
      width: 8,
      cell: ({ is_ready: isReady }) => (
        <Badge tone={isReady ? 'good' : 'warn'}>{isReady ? 'in step' : 'not seen lately'}</Badge>
      ),
    },
    { id: 'base', title: 'Base URL', width: 18, cell: ({ base_url: url }) => <code>{base + url}</code> },
    { id: 'name', title: LABELS.name, width: 11, cell: ({ name }) => name },
    {
      id: 'cached',
      title: LABELS.cachedPrice,
      width: 6.5,
      align: 'end',
      cell: (e) => price(e.pricing.input_cache_read, e),
    },
    {
      id: 'written',
      title: LABELS.cacheWritePrice,
      width: 8.5,
      align: 'end',
      cell: (e) => price(e.pricing.input_cache_write, e),
    },
  ];
  return (
    <div class="fill">
      <div class="toolbar">
        <SearchField
          isMain
          label="Search models"
          value={search}
          onSearch={(value) => router.setQuery({ search: value }, 'replace')}
        />
      </div>
      <DataTable
        label="Catalog"
        state={rows}
        columns={columns}
        keyOf={({ id }) => id}
        onReload={loaded.reload}
        empty={<Empty icon="model" title="No model is called so" />}
      />
    </div>
  );
}

/** Multiplies a decimal text by a million without losing a digit. */
export function toMillion(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = whole + fraction.padEnd(MILLION_DECIMALS, '0');
  const cut = whole.length + MILLION_DECIMALS;
  const rest = digits.slice(cut).replace(/0+$/, '');
  const front = digits.slice(0, cut).replace(/^0+(?=\d)/, '');
  return rest === '' ? front : `${front}.${rest}`;
}
