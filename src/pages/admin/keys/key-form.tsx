import type { VNode } from 'preact';
import { Choice, Field, SelectField, TextArea, TextField, CheckField } from '../../kit/index.js';
import type { DraftFields } from '../use-draft.js';
import { BudgetFields } from './budget-fields.js';
import { NUMBER_LIMITS, type KeyDraft, type ModelChoice } from './key-draft.js';

const CHOICES = [
  ['all', 'All models'],
  ['some', 'Only these'],
  ['none', 'None'],
] as const satisfies readonly (readonly [ModelChoice, string])[];

/** The fields of a key. */
export function KeyFields(
  props: DraftFields<KeyDraft> & {
    /** The ids of the gateway's models. */
    readonly models: readonly string[];
  },
): VNode {
  const { draft, errors, models, onChange } = props;
  const change = (part: Partial<KeyDraft>): void => onChange({ ...draft, ...part });
  // Lists models that the gateway no longer has too, so the user can remove them from the key.
  const listed = [...new Set([...models, ...draft.models])];
  const tick = (id: string, isTicked: boolean): void =>
    change({ models: isTicked ? [...draft.models, id] : draft.models.filter((each) => each !== id) });
  return (
    <div class="form">
      <TextField
        label="Name"
        fileName="name"
        value={draft.name}
        error={errors['name']}
        hint="Who uses it, or what for."
        maxLength={100}
        onInput={(name) => change({ name })}
      />
      <div class="field">
        <Choice name="Models" values={CHOICES} chosen={draft.choice} onChoose={(choice) => change({ choice })} />
        {draft.choice === 'some' && (
          <>
            <div class="check-list" role="group" aria-label="Models that the key may use">
              {listed.map((id) => (
                <CheckField
                  key={id}
                  label={id}
                  isChecked={draft.models.includes(id)}
                  onChange={(isTicked) => tick(id, isTicked)}
                />
              ))}
              {listed.length === 0 && <span class="muted">The gateway has no models yet.</span>}
            </div>
            <TextArea
              label="And names with a * at their end"
              rows={2}
              value={draft.patterns}
              error={errors['models']}
              hint="A line each. The * stands for any rest, also of models that come later."
              placeholder="llama-*"
              onInput={(patterns) => change({ patterns })}
            />
          </>
        )}
      </div>
      <Field label="Expires" fileName="expires_at" hint="In your time zone. Empty: never.">
        {(marks) => (
          <input
            {...marks}
            type="datetime-local"
            value={draft.expiresAt}
            onInput={(event) => change({ expiresAt: event.currentTarget.value })}
          />
        )}
      </Field>
      <fieldset class="form">
        <legend class="part-title">Limits</legend>
        <p class="hint">An empty field sets no limit.</p>
        <div class="field-grid">
          {NUMBER_LIMITS.map(([id, label]) => (
            <TextField
              key={id}
              label={label}
              fileName={id}
              inputMode="numeric"
              value={draft.numbers[id]}
              error={errors[id]}
              placeholder="No limit"
              onInput={(value) => change({ numbers: { ...draft.numbers, [id]: value } })}
            />
          ))}
        </div>
      </fieldset>
      <BudgetFields budgets={draft.budgets} errors={errors} onChange={(budgets) => change({ budgets })} />
    </div>
  );
}

/** The time for which the previous secret stays valid. */
export function GraceField(props: { readonly value: string; readonly onChange: (value: string) => void }): VNode {
  return (
    <SelectField
      label="The secret before works for"
      value={props.value}
      options={[
        ['0', 'no longer'],
        ['3600', 'one hour more'],
        ['86400', 'one day more'],
        ['604800', 'one week more'],
        ['2592000', '30 days more'],
      ]}
      hint="Time to bring the new one to all clients."
      onChange={props.onChange}
    />
  );
}
