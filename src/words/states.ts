// States in words, the same on pages and in commands.
import { countText, moneyText } from './amounts.js';

/** The outcomes of a request, by their names in the API, with their labels. */
export const OUTCOMES = {
  answered: 'Answered',
  refused: 'Refused',
  failed: 'Failed',
  aborted: 'Client left',
} as const;

/** Why a runtime gets no requests, by its names in the API. */
const TROUBLES: Readonly<Record<string, string>> = {
  unreachable: 'does not answer',
  unhealthy: 'answers with errors',
  unverified: 'not verified yet',
  fingerprint_changed: 'became another server',
};

/** Why a runtime gets no requests; null: it is not known yet. */
export function troubleText(trouble: string | null): string {
  return trouble === null ? 'away' : (TROUBLES[trouble] ?? trouble.replaceAll('_', ' '));
}

/** Whether the money of a request is booked, by its names in the API. */
export const BOOKINGS = { running: 'under way', settled: 'charged', voided: 'not charged' } as const;

/** Where a key is kept, by its names in the API. */
export function originText(origin: string): string {
  return origin === 'file' ? 'gateway.yaml' : 'the database';
}

/** The time that a budget is for. */
const WINDOWS: Readonly<Record<string, string>> = {
  day: 'a day',
  week: 'a week',
  month: 'a month',
  total: 'in total',
};

/** A request that ended; null where it has no status. */
export interface RequestEnd {
  readonly status: number | null;
  readonly isAborted: boolean;
}

/** How a request ended: its status, or another outcome. */
export function statusText({ status, isAborted }: RequestEnd): string {
  if (isAborted || status === CLIENT_LEFT) return 'client left';
  return status === null ? 'broke off' : String(status);
}

/** A client that left before the end. Source: nginx. */
const CLIENT_LEFT = 499;

/** The time that a budget is for: `a month`, or `in total`. */
export function windowText(window: string): string {
  return WINDOWS[window] ?? `a ${window}`;
}

/** So much of a unit, which is `tokens` or a currency: `5,000,000 tokens`, `20.00 EUR`. */
export function unitText(amount: number | string, unit: string): string {
  if (unit !== 'tokens') return moneyText(String(amount), unit);
  return `${/^\d+$/.test(String(amount)) ? countText(BigInt(amount)) : amount} tokens`;
}

/** A budget: `20.00 EUR a month`. */
export function budgetText(amount: number | string, unit: string, window: string): string {
  return `${unitText(amount, unit)} ${windowText(window)}`;
}

/** When a gateway was read, and since when it cannot be. */
export interface ReadGateway {
  readonly state: string;
  readonly synced_at: string | null;
  readonly stale_since: string | null;
}

/** Whether a connected gateway is offered, and whether its models can be read. */
export function gatewayStateText({ state, synced_at: synced, stale_since: stale }: ReadGateway): string {
  if (state === 'disabled') return 'disabled';
  if (stale !== null) return synced === null ? 'never read' : 'stale';
  return synced === null ? 'not asked yet' : 'in step';
}
