/** Which models of a gateway are offered: all that it lists, or those of these ids that it lists. */
export type Offer = 'all' | readonly string[];

/** Whether streams that did not ask for their usage are asked for it, as for a provider of hosted.yaml. */
export type Metering = 'inject' | 'observe';

/** A model as the list of a gateway told of it. */
export interface ListedModel {
  readonly id: string;
  /** Seconds since 1970; 0 where nothing was told. */
  readonly created: number;
  /** Tokens of prompt and answer together, where it was told. */
  readonly contextLength?: number;
}

/** What is known of the list of a gateway. */
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
  /** What failed the last time, in words that have nothing of what the gateway sent. */
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

/** What a gateway offers now: what its offer names and its last list has. */
export function offeredModels({ offer, sync }: Pick<ConnectedGateway, 'offer' | 'sync'>): readonly ListedModel[] {
  if (offer === 'all') return sync.models;
  const named = new Set(offer);
  return sync.models.filter(({ id }) => named.has(id));
}
