import type { VNode } from 'preact';
import { CheckField, Icon, SelectField, TextField } from '../../kit/index.js';
import { IdField } from '../file-edit.js';
import type { DraftFields } from '../use-draft.js';
import { EMPTY_TARGET, type ModelDraft, type TargetDraft } from './model-draft.js';

/** The most targets of one model in gateway.yaml. */
const MAX_TARGETS = 64;

/** The fields of a model. */
export function ModelFields(
  props: DraftFields<ModelDraft> & {
    readonly runtimes: readonly string[];
    /** Whether the user can choose the id. An existing model keeps its id. */
    readonly isNew: boolean;
  },
): VNode {
  const { draft, errors, runtimes, isNew, onChange } = props;
  const change = (part: Partial<ModelDraft>): void => onChange({ ...draft, ...part });
  const changeTarget = (at: number, part: Partial<TargetDraft>): void =>
    change({ targets: draft.targets.map((target, i) => (i === at ? { ...target, ...part } : target)) });
  return (
    <div class="form">
      {isNew && (
        <IdField id={draft.id} error={errors['id']} hint="What clients ask for." onInput={(id) => change({ id })} />
      )}
      <fieldset class="form">
        <legend class="part-title">Targets</legend>
        <p class="hint">
          Lower orders are asked first. Among targets of one order, each gets its share of the requests by its weight.
        </p>
        {draft.targets.map((target, i) => (
          <TargetFields
            key={i}
            number={i + 1}
            target={target}
            error={errors[`target${i}`]}
            runtimes={runtimes}
            onChange={(part) => changeTarget(i, part)}
            onRemove={() => change({ targets: draft.targets.filter((_, at) => at !== i) })}
          />
        ))}
        {errors['targets'] !== undefined && <p class="hint wrong">{errors['targets']}</p>}
        {draft.targets.length < MAX_TARGETS && (
          <div>
            <button
              type="button"
              class="button small"
              onClick={() => change({ targets: [...draft.targets, EMPTY_TARGET] })}
            >
              <Icon name="plus" /> Add a target
            </button>
          </div>
        )}
      </fieldset>
      <TextField
        label="Longest answer, in tokens"
        fileName="max_output_tokens"
        inputMode="numeric"
        value={draft.maxOutputTokens}
        error={errors['tokens']}
        placeholder="No limit"
        hint="Requests that ask for more are refused."
        onInput={(maxOutputTokens) => change({ maxOutputTokens })}
      />
      <fieldset class="form">
        <legend class="part-title">Price</legend>
        <CheckField
          label="Requests cost money"
          isChecked={draft.hasPrice}
          onChange={(hasPrice) => change({ hasPrice })}
        />
        {draft.hasPrice && (
          <div class="field-grid">
            <TextField
              label="A million prompt tokens"
              fileName="input_per_million"
              inputMode="decimal"
              value={draft.inputPrice}
              error={errors['input']}
              placeholder="0.10"
              onInput={(inputPrice) => change({ inputPrice })}
            />
            <TextField
              label="A million completion tokens"
              fileName="output_per_million"
              inputMode="decimal"
              value={draft.outputPrice}
              error={errors['output']}
              placeholder="0.40"
              onInput={(outputPrice) => change({ outputPrice })}
            />
            <TextField
              label="Currency"
              fileName="currency"
              value={draft.currency}
              error={errors['currency']}
              placeholder="EUR"
              maxLength={3}
              onInput={(currency) => change({ currency: currency.toUpperCase() })}
            />
          </div>
        )}
      </fieldset>
    </div>
  );
}

function TargetFields(props: {
  readonly number: number;
  readonly target: TargetDraft;
  readonly error: string | undefined;
  readonly runtimes: readonly string[];
  readonly onChange: (part: Partial<TargetDraft>) => void;
  readonly onRemove: () => void;
}): VNode {
  const { number, target, error, runtimes, onChange, onRemove } = props;
  const known = [...new Set([...runtimes, target.runtime])].filter((id) => id !== '');
  return (
    <div role="group" aria-label={`Target ${number}`}>
      <div class="form-row">
        <SelectField
          label="Runtime"
          fileName="runtime"
          value={target.runtime}
          options={[['', 'Choose'], ...known.map((id) => [id, id] as const)]}
          onChange={(runtime) => onChange({ runtime })}
        />
        <TextField
          label="Its name there"
          fileName="model"
          value={target.model}
          onInput={(model) => onChange({ model })}
        />
        <TextField
          label="Weight"
          fileName="weight"
          inputMode="numeric"
          value={target.weight}
          onInput={(weight) => onChange({ weight })}
        />
        <TextField
          label="Order"
          fileName="order"
          inputMode="numeric"
          value={target.order}
          onInput={(order) => onChange({ order })}
        />
        <button type="button" class="tool" aria-label={`Take target ${number} away`} onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
      {error !== undefined && <p class="hint wrong">{error}</p>}
    </div>
  );
}
