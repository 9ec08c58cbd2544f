import type { VNode } from 'preact';

/** One of a few values, all of them seen. */
export function Choice<T extends string>(props: {
  readonly name: string;
  readonly values: readonly (readonly [T, string])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
  /** Whether the name is only for those who do not see it. */
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
