import type { VNode } from 'preact';

/** A choice of one of a few visible values. */
export function Choice<T extends string>(props: {
  readonly name: string;
  readonly values: readonly (readonly [T, string])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
  /** Whether only screen readers get the name. */
  readonly isNameHidden?: boolean;
}): VNode {
  return (
    <fieldset class="choice">
      <legend class={props.isNameHidden === true ? 'visually-hidden' : 'field-name'}>{props.name}</legend>
      <div class="choice-row">
        {props.values.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name={props.name}
              checked={value === props.chosen}
              onChange={() => props.onChoose(value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
