import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { toLocalTime, toSentTime } from '../../data/index.js';
import { useKit } from '../page/kit.js';
import { useStore } from '../page/use-store.js';
import { Dialog } from '../views/dialog.js';
import { TextField } from './fields.js';
import { FilterSelect } from './search-field.js';

const HOUR_MS = 3_600_000;
/** Recent ranges, in hours. */
const RECENT = [
  ['1', 'last hour'],
  ['24', 'last day'],
  ['168', 'last week'],
  ['720', 'last 30 days'],
] as const;

/** Filters rows by time: `from` and `to` of the address. */
export function TimeFilter(): VNode {
  const { router, clock, formats } = useKit();
  const { query } = useStore(router);
  const { from = '', to = '' } = query;
  const [isOpen, setOpen] = useState(false);
  const chosen = from === '' && to === '' ? '' : 'set';
  const words = [from === '' ? '' : `from ${formats.dateTime(from)}`, to === '' ? '' : `to ${formats.dateTime(to)}`];
  const onChange = (value: string): void => {
    if (value === 'own') return setOpen(true);
    if (value === 'set') return;
    const start = value === '' ? '' : new Date(clock.unixMs() - Number(value) * HOUR_MS).toISOString();
    router.setQuery({ from: start, to: '' });
  };
  return (
    <>
      <FilterSelect
        label="Time"
        value={chosen}
        options={[
          ...(chosen === '' ? [] : [['set', words.filter((part) => part !== '').join(' ')] as const]),
          ...RECENT,
          ['own', 'another time…'],
        ]}
        onChange={onChange}
      />
      {isOpen && (
        <TimeSpan
          from={from}
          to={to}
          onChosen={(span) => {
            router.setQuery(span);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Chooses a start and an end. */
export function TimeSpan(props: {
  readonly from: string;
  readonly to: string;
  readonly onChosen: (span: { readonly from: string; readonly to: string }) => void;
  readonly onClose: () => void;
}): VNode {
  const [from, setFrom] = useState(toLocalTime(props.from === '' ? null : props.from));
  const [to, setTo] = useState(toLocalTime(props.to === '' ? null : props.to));
  const isWrong = from !== '' && to !== '' && from >= to;
  return (
    <Dialog
      title="Time"
      onClose={props.onClose}
      footer={
        <>
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <button
            type="button"
            class="button primary"
            disabled={isWrong}
            onClick={() => props.onChosen({ from: toSentTime(from) ?? '', to: toSentTime(to) ?? '' })}
          >
            Show
          </button>
        </>
      }
    >
      <div class="field-grid">
        <TextField label="From" type="datetime-local" value={from} onInput={setFrom} />
        <TextField
          label="To"
          type="datetime-local"
          value={to}
          error={isWrong ? 'This is not after the beginning.' : undefined}
          onInput={setTo}
        />
      </div>
    </Dialog>
  );
}
