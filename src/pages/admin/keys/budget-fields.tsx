import type { BudgetWindow } from '../../data/index.js';
import type { VNode } from 'preact';
import { Icon, SelectField, TextField } from '../../kit/index.js';
import type { BudgetDraft } from './key-draft.js';

const UNITS = [
  ['tokens', 'Tokens'],
  ['money', 'Money'],
] as const;
const WINDOWS = [
  ['day', 'a day'],
  ['week', 'a week'],
  ['month', 'a month'],
  ['total', 'in all'],
] as const satisfies readonly (readonly [BudgetWindow, string])[];
/** The most budgets of one key in gateway.yaml. */
const MAX_BUDGETS = 8;
const NEW_BUDGET: BudgetDraft = { unit: 'tokens', amount: '', currency: '', window: 'month' };

/** The budgets of a key, all of which apply. */
export function BudgetFields(props: {
  readonly budgets: readonly BudgetDraft[];
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (budgets: readonly BudgetDraft[]) => void;
}): VNode {
  const { budgets, errors, onChange } = props;
  const change = (at: number, part: Partial<BudgetDraft>): void =>
    onChange(budgets.map((budget, i) => (i === at ? { ...budget, ...part } : budget)));
  return (
    <fieldset class="form">
      <legend class="part-title">Budgets</legend>
      {budgets.map((budget, i) => (
        <div key={i} class="form-row" role="group" aria-label={`Budget ${i + 1}`}>
          <SelectField label="Of" value={budget.unit} options={UNITS} onChange={(unit) => change(i, { unit })} />
          <TextField
            label="Amount"
            inputMode={budget.unit === 'tokens' ? 'numeric' : 'decimal'}
            value={budget.amount}
            error={errors[`budget${i}`]}
            onInput={(amount) => change(i, { amount })}
          />
          {budget.unit === 'money' && (
            <TextField
              label="Currency"
              value={budget.currency}
              placeholder="EUR"
              maxLength={3}
              onInput={(currency) => change(i, { currency: currency.toUpperCase() })}
            />
          )}
          <SelectField
            label="For"
            value={budget.window}
            options={WINDOWS}
            onChange={(window) => change(i, { window })}
          />
          <button
            type="button"
            class="tool"
            aria-label={`Take budget ${i + 1} away`}
            onClick={() => onChange(budgets.filter((_, at) => at !== i))}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      {budgets.length < MAX_BUDGETS && (
        <div>
          <button type="button" class="button small" onClick={() => onChange([...budgets, NEW_BUDGET])}>
            <Icon name="plus" /> Add a budget
          </button>
        </div>
      )}
    </fieldset>
  );
}
