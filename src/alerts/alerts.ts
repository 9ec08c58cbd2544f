import { randomBytes } from 'node:crypto';
import { every, toErrorData, type Clock, type LogEntry } from '../base/index.js';
import type { Database } from '../database/index.js';
import type { SecretSource } from '../yaml-file/index.js';
import type { Alert } from './alert-types.js';
import type { WebhookConfig } from './alerts-file.js';
import { createAlertWatch, type AlertWatch } from './alert-watch.js';
import { openSaidTable } from './said-table.js';
import type { OutgoingNetwork } from '../outgoing/index.js';
import { parseWebhookSecret } from './signature.js';
import { WebhookQueue, type OpenWebhook, type WebhookCounts } from './webhook-queue.js';

/** Milliseconds between two checks for alerts. */
const LOOK_MS = 1_000;
/** Ids of one check: the others wait for the next. */
const MAX_LOOKED_AT = 500;
/** Ids that wait for a check; beyond it a budget waits until its next request. */
const MAX_TOUCHED = 100_000;
/** How long attempts under way may take when the process ends. */
const LAST_MS = 2_000;

/** Reads the secret of a webhook. Errors: `webhook_secret_missing`, those of files. */
export type ReadWebhookSecret = (source: SecretSource, what: string) => Promise<string>;

/** Keys used since the last check, by their ids: the product's state of each, and its refusals. */
export type Touched<About> = ReadonlyMap<string, { readonly about: About; readonly refusals: ReadonlySet<string> }>;

/** The sender of alerts. */
export interface AlertSource {
  readonly product: 'private-gateway' | 'hosted-api';
  /** Of this gateway or service. */
  readonly id: string;
}

/** Options of the alerts of a product. */
export interface AlertsOptions<About> extends Pick<OutgoingNetwork, 'mayConnect' | 'lookUpAll'> {
  readonly source: AlertSource;
  /** Opens the database of sent alerts. Called for the first webhook. Errors: those of the database. */
  readonly openDatabase: () => Promise<Database>;
  /** Whether this process opened that database for alerts alone. */
  readonly ownsDatabase: boolean;
  readonly readSecret: ReadWebhookSecret;
  /** Checks for alerts: called each second while there is a webhook. */
  readonly look: (watch: AlertWatch, touched: Touched<About>) => Promise<void>;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  /** From 0 to below 1; default `Math.random`. */
  readonly random?: () => number;
}

/** The state of a webhook, with counts of its alerts. */
export interface WebhookState extends Readonly<WebhookCounts> {
  readonly id: string;
  readonly waiting: number;
}

/** Sends events to webhooks. Without a webhook it does nothing and keeps nothing. */
export interface Alerts<About = unknown> extends AsyncDisposable {
  /** Reads the secrets of webhooks, for `use`. Errors: `webhook_secret_missing`, those of files and of the database. */
  prepare(webhooks: readonly WebhookConfig[]): Promise<PreparedWebhooks>;
  /** Sends to these from now on. */
  use(prepared: PreparedWebhooks): void;
  /** A request of the key `id` is over; `refusal`: the code it was refused with. */
  touch(id: string, about: About, refusal: string | undefined): void;
  /** A secret was wrong. */
  failSignIn(where: SignInRoute): void;
  states(): readonly WebhookState[];
}

/** Webhooks whose secrets were read. */
export interface PreparedWebhooks {
  readonly webhooks: readonly OpenWebhook[];
}

interface OpenQueue {
  readonly webhook: OpenWebhook;
  readonly queue: WebhookQueue;
  readonly counts: WebhookCounts;
}

/** Alerts without a webhook yet. */
export function createAlerts<About>(options: AlertsOptions<About>): Alerts<About> {
  const { source, readSecret, look, clock, now, log, random = Math.random } = options;
  const { mayConnect, lookUpAll } = options;
  const network: OutgoingNetwork = { mayConnect, clock, ...(lookUpAll !== undefined && { lookUpAll }) };
  const queues = new Map<string, OpenQueue>();
  const touched = new Map<string, { readonly about: About; readonly refusals: Set<string> }>();
  let opened: { readonly database: Database; readonly watch: AlertWatch } | undefined;
  let stopLooking: (() => void) | undefined;
  let looking: Promise<void> | undefined;

  const send = (alert: Alert): void => {
    const id = `msg_${randomBytes(18).toString('base64url')}`;
    const { type, data } = alert;
    const body = JSON.stringify({ type, timestamp: new Date(now()).toISOString(), source, data });
    log({ event: 'alert', alert: id, type });
    for (const { webhook, queue } of queues.values()) {
      if (webhook.events.includes(type)) queue.add({ id, type, body });
    }
  };
  const failSignIn = createSignInBursts(clock, send);

  const open = async (): Promise<void> => {
    if (opened !== undefined) return;
    const database = await options.openDatabase();
    try {
      const said = await openSaidTable(database, now);
      opened = { database, watch: createAlertWatch({ said, clock, now, send }) };
    } catch (error) {
      if (options.ownsDatabase) await database[Symbol.asyncDispose]();
      throw error;
    }
  };

  const lookOnce = async (watch: AlertWatch): Promise<void> => {
    const taken: typeof touched = new Map();
    for (const [id, one] of touched) {
      if (taken.size >= MAX_LOOKED_AT) break;
      taken.set(id, one);
      touched.delete(id);
    }
    // A subject that cannot be read now is read when it is used again.
    await look(watch, taken).catch((error: unknown) => log({ event: 'alerts failed', code: toErrorData(error).code }));
  };

  const startLooking = (): void => {
    const watch = opened?.watch;
    if (watch === undefined || stopLooking !== undefined) return;
    stopLooking = every(LOOK_MS, clock, () => {
      looking ??= lookOnce(watch).finally(() => (looking = undefined));
    });
  };

  const openQueue = (webhook: OpenWebhook): OpenQueue => {
    const counts = queues.get(webhook.id)?.counts ?? { delivered: 0, failed: 0, dropped: 0 };
    const queue = new WebhookQueue(webhook, { network, clock, now, log, random, counts });
    return { webhook, queue, counts };
  };

  return {
    async prepare(webhooks) {
      if (webhooks.length > 0) await open();
      const read = webhooks.map(async ({ id, url, secret, events }): Promise<OpenWebhook> => {
        const text = await readSecret(secret, `the secret of webhook ${id}`);
        return { id, url, events, secret: parseWebhookSecret(text, id) };
      });
      return { webhooks: await Promise.all(read) };
    },
    use({ webhooks }) {
      const before = new Map(queues);
      for (const webhook of webhooks) {
        const known = before.get(webhook.id);
        // An unchanged webhook keeps its waiting events.
        if (known !== undefined && isSame(known.webhook, webhook)) before.delete(webhook.id);
        else queues.set(webhook.id, openQueue(webhook));
      }
      const ids = new Set(webhooks.map(({ id }) => id));
      for (const [id, { queue }] of before) {
        if (!ids.has(id)) queues.delete(id);
        void queue.close(0);
      }
      if (queues.size > 0) return startLooking();
      stopLooking?.();
      stopLooking = undefined;
      touched.clear();
    },
    touch(id, about, refusal) {
      if (queues.size === 0) return;
      const known = touched.get(id);
      if (known === undefined && touched.size >= MAX_TOUCHED) return;
      const refusals = known?.refusals ?? new Set();
      if (refusal !== undefined) refusals.add(refusal);
      touched.set(id, { about, refusals });
    },
    failSignIn(where) {
      if (queues.size > 0) failSignIn(where);
    },
    states: () =>
      Array.from(queues.values(), ({ webhook, queue, counts }) => ({
        id: webhook.id,
        ...counts,
        waiting: queue.waiting,
      })),
    async [Symbol.asyncDispose]() {
      stopLooking?.();
      await looking;
      await Promise.all(Array.from(queues.values(), ({ queue }) => queue.close(LAST_MS)));
      queues.clear();
      if (options.ownsDatabase) await opened?.database[Symbol.asyncDispose]();
    },
  };
}

function isSame(a: OpenWebhook, b: OpenWebhook): boolean {
  const isSecretSame = Buffer.compare(a.secret, b.secret) === 0;
  return a.url === b.url && isSecretSame && a.events.join() === b.events.join();
}

/** Where a secret was wrong. */
type SignInRoute = Extract<Alert, { type: 'sign_in.burst' }>['data']['where'];

const WINDOW_MS = 60_000;
/** From so many in a minute on it is a burst. People mistype an operator's token, and many clients may have an old key. */
const BURST: Readonly<Record<SignInRoute, number>> = { admin: 5, operator: 5, api: 100 };
/** A burst is over when there was no failure for so long. */
const QUIET_MS = 900_000;

interface Failures {
  /** Times on the clock within a minute; none of a burst that was reported. */
  atMs: number[];
  lastMs: number;
  isTold: boolean;
}

/** Counts wrong secrets, and reports each burst once. */
export function createSignInBursts(clock: Clock, send: (alert: Alert) => void): (where: SignInRoute) => void {
  const places = new Map<SignInRoute, Failures>();
  return (where) => {
    const nowMs = clock.nowMs();
    const known = places.get(where) ?? { atMs: [], lastMs: -Infinity, isTold: false };
    places.set(where, known);
    if (nowMs - known.lastMs > QUIET_MS) known.isTold = false;
    known.lastMs = nowMs;
    if (known.isTold) return;
    known.atMs = [...known.atMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    const failures = known.atMs.length;
    if (failures < BURST[where]) return;
    known.isTold = true;
    known.atMs = [];
    send({ type: 'sign_in.burst', data: { where, failures, within_s: WINDOW_MS / 1000 } });
  };
}
