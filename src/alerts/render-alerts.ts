import { heading, sample } from '../endpoint/index.js';
import type { WebhookState } from './alerts.js';

/** Counts of webhooks in the text format of Prometheus; `prefix` begins the names. */
export function renderAlerts(prefix: string, states: readonly WebhookState[]): string {
  if (states.length === 0) return '';
  const counter = (name: string, type: 'counter' | 'gauge', help: string, valueOf: (state: WebhookState) => number) =>
    heading(`${prefix}_alerts_${name}`, type, help) +
    states.map((state) => sample(`${prefix}_alerts_${name}`, { webhook: state.id }, valueOf(state))).join('');
  return [
    counter('delivered_total', 'counter', 'Alerts that a webhook took.', ({ delivered }) => delivered),
    counter('failed_attempts_total', 'counter', 'Attempts that a webhook did not take.', ({ failed }) => failed),
    counter('dropped_total', 'counter', 'Alerts that were given up.', ({ dropped }) => dropped),
    counter('waiting', 'gauge', 'Alerts that wait to be sent.', ({ waiting }) => waiting),
  ].join('');
}
