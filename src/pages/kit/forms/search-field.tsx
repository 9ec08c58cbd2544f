import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKit } from '../page/kit.js';
import { Icon } from '../views/icon.js';

/** Delay between the last keystroke and the search, in milliseconds. */
const TYPING_MS = 250;

/** A search field that searches while the user types. */
export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (value: string) => void;
  readonly placeholder?: string;
  /** Whether Ctrl+K focuses this field. */
  readonly isMain?: boolean;
}): VNode {
  const { clock } = useKit();
  const [text, setText] = useState(props.value);
  const told = useRef(props.value);
  const cancel = useRef((): void => {});
  useEffect(() => {
    // The address changed without typing, for example by going back.
    if (props.value !== told.current) setText(props.value);
    told.current = props.value;
  }, [props.value]);
  useEffect(() => () => cancel.current(), []);
  const tell = (value: string): void => {
    cancel.current();
    if (value === told.current) return;
    told.current = value;
    props.onSearch(value);
  };
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        type="search"
        id={props.isMain === true ? 'main-search' : undefined}
        aria-label={props.label}
        placeholder={props.placeholder ?? props.label}
        value={text}
        autoComplete="off"
        spellcheck={false}
        maxLength={300}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          cancel.current();
          cancel.current = clock.after(TYPING_MS, () => tell(value.trim()));
        }}
        onKeyDown={(event) => event.key === 'Enter' && tell(event.currentTarget.value.trim())}
      />
    </div>
  );
}

/** A filter by one of a few values; empty: all. */
export function FilterSelect(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}): VNode {
  const options = [['', `${props.label}: all`], ...props.options] as const;
  return (
    <select
      class={`filter ${props.value === '' ? '' : 'set'}`}
      aria-label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      {options.map(([value, label]) => (
        <option key={value} value={value} selected={value === props.value}>
          {label}
        </option>
      ))}
    </select>
  );
}
