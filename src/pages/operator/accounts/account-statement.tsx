import type { VNode } from 'preact';
import {
  Card,
  LoadedView,
  StatementView,
  useLoad,
  type StatementPayment,
  type StatementSums,
} from '../../kit/index.js';
import { useOperator } from '../operator-state.js';

/** Payments of one look: the command has all. */
const LIMIT = 200;

/** Payments and refunds of an account in the last thirty days. It is read again when the balance changed. */
export function AccountStatement({ id, balance }: { readonly id: string; readonly balance: string }): VNode {
  const { api } = useOperator();
  const loaded = useLoad(
    ({ signal }) =>
      api.run<{ statement: StatementSums; payments: readonly StatementPayment[] }>(
        'accounts.statement',
        { id, limit: LIMIT },
        signal,
      ),
    [id, balance],
  );
  return (
    <Card title="Statement, last thirty days">
      <LoadedView loaded={loaded}>
        {({ statement, payments }) => <StatementView statement={statement} payments={payments} />}
      </LoadedView>
    </Card>
  );
}
