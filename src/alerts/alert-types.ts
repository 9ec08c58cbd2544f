// Every alert with the schema of its data: the documents and the files of both products are made of this table.
import { Type, type Static, type TSchema } from '../schema/index.js';

/** One kind of alert. */
export interface AlertKind {
  /** The event in words, for the reference. */
  readonly when: string;
  readonly data: TSchema;
  /** Data as the reference shows it. */
  readonly example: object;
}

const amount = Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$' });
const time = Type.String({ format: 'date-time' });

const BudgetData = Type.Object({
  key_id: Type.String(),
  key_name: Type.String(),
  /** Of the hosted API alone. */
  account_id: Type.Optional(Type.String()),
  account_name: Type.Optional(Type.String()),
  window: Type.Enum(['day', 'week', 'month', 'total']),
  /** `tokens`, or a currency. */
  unit: Type.String(),
  limit: amount,
  used: amount,
  /** Rounded down. */
  percent: Type.Integer(),
  /** Null: never. */
  resets_at: Type.Union([time, Type.Null()]),
});

const BalanceData = Type.Object({
  account_id: Type.String(),
  account_name: Type.String(),
  currency: Type.String(),
  /** Includes the holds of requests under way. */
  balance: amount,
  low_balance: amount,
});

const RuntimeData = Type.Object({
  runtime: Type.String(),
  kind: Type.String(),
  trouble: Type.Enum(['unreachable', 'unhealthy', 'unverified', 'fingerprint_changed']),
});

const ProviderData = Type.Object({
  provider: Type.String(),
  trouble: Type.Enum(['requests_fail', 'models_unreadable']),
});

const SignInData = Type.Object({
  where: Type.Enum(['admin', 'operator', 'api']),
  failures: Type.Integer(),
  within_s: Type.Integer(),
});

const budgetExample = {
  key_id: 'key_7Yq2',
  key_name: 'team search',
  window: 'month',
  unit: 'tokens',
  limit: '1000000',
  used: '803112',
  percent: 80,
  resets_at: '2026-12-01T00:00:00.000Z',
};
const balanceExample = {
  account_id: 'acc_01JD',
  account_name: 'Example Ltd',
  currency: 'USD',
  balance: '4.81',
  low_balance: '5',
};

/** Every kind of alert. */
export const alertKinds = {
  'budget.warning': {
    when: 'A key has used 80 % of a budget.',
    data: BudgetData,
    example: budgetExample,
  },
  'budget.exhausted': {
    when: 'A key has used all of a budget, or at least 80 % of it and a request was refused because of it.',
    data: BudgetData,
    example: { ...budgetExample, used: '1000000', percent: 100 },
  },
  'balance.low': {
    when: 'The prepaid balance of an account is below `low_balance`.',
    data: BalanceData,
    example: balanceExample,
  },
  'balance.empty': {
    when: 'The prepaid balance of an account is 0, or below `low_balance` and a request was refused because of it.',
    data: BalanceData,
    example: { ...balanceExample, balance: '0' },
  },
  'runtime.down': {
    when: 'A runtime gets no requests: it does not answer, answers with errors, or is not the approved one.',
    data: RuntimeData,
    example: { runtime: 'vllm-1', kind: 'vllm', trouble: 'unreachable' },
  },
  'runtime.up': {
    when: 'A runtime that was down gets requests again.',
    data: Type.Object({ runtime: Type.String(), kind: Type.String(), down_s: Type.Integer() }),
    example: { runtime: 'vllm-1', kind: 'vllm', down_s: 184 },
  },
  'provider.down': {
    when: 'Requests to a provider or a connected gateway fail, or the models of a connected gateway cannot be read.',
    data: ProviderData,
    example: { provider: 'openai', trouble: 'requests_fail' },
  },
  'provider.up': {
    when: 'A provider or a connected gateway that was down works again.',
    data: Type.Object({ provider: Type.String(), down_s: Type.Integer() }),
    example: { provider: 'openai', down_s: 184 },
  },
  'sign_in.burst': {
    when: 'Many wrong tokens of operators (5 in a minute), or wrong keys of clients (100 in a minute), came in.',
    data: SignInData,
    example: { where: 'admin', failures: 5, within_s: 60 },
  },
  test: {
    when: 'An operator ran `alerts test`. Every webhook gets it.',
    data: Type.Object({ webhook: Type.String() }),
    example: { webhook: 'ops' },
  },
} as const satisfies Record<string, AlertKind>;

/** The name of a kind of alert. */
export type AlertType = keyof typeof alertKinds;

/** One alert: its kind and its data. No text of a request or an answer is in it, and no secret. */
export type Alert = {
  readonly [T in AlertType]: { readonly type: T; readonly data: Static<(typeof alertKinds)[T]['data']> };
}[AlertType];

/** The alerts of a gateway. */
export const gatewayAlerts = [
  'budget.warning',
  'budget.exhausted',
  'runtime.down',
  'runtime.up',
  'sign_in.burst',
] as const satisfies readonly AlertType[];

/** The alerts of a hosted API. */
export const hostedAlerts = [
  'balance.low',
  'balance.empty',
  'budget.warning',
  'budget.exhausted',
  'provider.down',
  'provider.up',
  'sign_in.burst',
] as const satisfies readonly AlertType[];
