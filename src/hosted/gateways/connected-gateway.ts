/** The models that a gateway offers: all models of its list, or those with these ids. */
export type Offer = 'all' | readonly string[];

/** Whether streams that did not ask for their usage are asked for it, as for a provider of hosted.yaml. */
export type Metering = 'inject' | 'observe';

/** A model as the list of a gateway describes it. */
export interface ListedModel {
  readonly id: string;
  /** Seconds since 1970; 0 where the list has no time. */
  readonly created: number;
  /** Tokens of prompt and answer together; absent where the list does not state it. */
  readonly contextLength?: number;
}

/** The state of a gateway's list. */
export interface SyncState {
  /** Of the last list that could be read. */
  readonly models: readonly ListedModel[];
  readonly etag: string | undefined;
  /** When the list was asked for last, and when it was read last; undefined: never. */
  readonly triedAtMs: number | undefined;
  readonly syncedAtMs: number | undefined;
  /** Since when it cannot be read; undefined: the last time it was. */
  readonly staleSinceMs: number | undefined;
  /** Failures in a row. */
  readonly failures: number;
  /** The last failure, in words without any text of the gateway. */
  readonly lastError: string | undefined;
  readonly nextAtMs: number;
}

/** A gateway, or any server with `GET /v1/models`, whose models this service offers. */
export interface ConnectedGateway {
  readonly slug: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly hasCredential: boolean;
  readonly offer: Offer;
  readonly metering: Metering;
  readonly state: 'active' | 'disabled';
  /** Another one after each change of address or credential. */
  readonly targetRevision: number;
  readonly createdAtMs: number;
  readonly sync: SyncState;
}

/** The models that a gateway offers now: the models of its offer that its last list contains. */
export function offeredModels({ offer, sync }: Pick<ConnectedGateway, 'offer' | 'sync'>): readonly ListedModel[] {
  if (offer === 'all') return sync.models;
  const named = new Set(offer);
  return sync.models.filter(({ id }) => named.has(id));
}
