import { codeOf, every, toErrorData, type Clock, type LogEntry } from '../../base/index.js';
import type { Database } from '../../database/index.js';
import { offeredModels, type ConnectedGateway, type ListedModel } from './connected-gateway.js';
import { toMayConnect, type ContactRules } from './contact-rules.js';
import type { GatewayDirectory, GatewayTarget } from './gateway-directory.js';
import { GATEWAY_CHANNEL, type GatewayStore } from './gateway-store.js';
import { toProvider } from './slug.js';

/** How often the database is asked for changes of other nodes whose notice was lost. */
const POLL_MS = 5_000;
/** Sent where a gateway has no authentication: it takes any string. */
const NO_CREDENTIAL = 'none';

/** Options of a directory. */
export interface GatewayDirectoryOptions {
  readonly database: Database;
  readonly store: GatewayStore;
  readonly rules: ContactRules;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** A gateway as the catalog lists it. */
export interface OfferedGateway {
  readonly target: GatewayTarget;
  readonly name: string;
  readonly models: readonly ListedModel[];
}

/** A directory that follows the database. */
export interface FollowedDirectory extends GatewayDirectory, AsyncDisposable {
  /** With the catalog entries of each, in the order of their slugs. */
  offered(): readonly OfferedGateway[];
  /** Checks for changes now, or waits for the running check. Errors: `database_unavailable`. */
  refresh(): Promise<void>;
}

/**
 * Reads all gateways, and follows their changes by notices and by asking. While the database is away the gateways stay as
 * they were. Errors: `database_unavailable`.
 */
export async function createGatewayDirectory(options: GatewayDirectoryOptions): Promise<FollowedDirectory> {
  const directory = new Directory(options);
  await directory.refresh();
  return directory;
}

class Directory implements FollowedDirectory {
  readonly #options: GatewayDirectoryOptions;
  readonly #known = new Map<string, { readonly revision: number; readonly offered: OfferedGateway | undefined }>();
  readonly #listeners = new Set<() => void>();
  readonly #stops: readonly (() => void)[];
  #round: Promise<void> | undefined;
  #isAskedAgain = false;
  #sorted: readonly OfferedGateway[] = [];

  constructor(options: GatewayDirectoryOptions) {
    this.#options = options;
    const look = (): void => void this.refresh().catch((error: unknown) => this.#logFailure(error));
    this.#stops = [every(POLL_MS, options.clock, look), options.database.listen(GATEWAY_CHANNEL, look, look)];
  }

  find(slug: string): GatewayTarget | undefined {
    return this.#known.get(slug)?.offered?.target;
  }

  all(): readonly GatewayTarget[] {
    return this.#sorted.map(({ target }) => target);
  }

  offered(): readonly OfferedGateway[] {
    return this.#sorted;
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  refresh(): Promise<void> {
    // A round may miss changes that were committed after it began.
    if (this.#round !== undefined) this.#isAskedAgain = true;
    this.#round ??= this.#rounds().finally(() => (this.#round = undefined));
    return this.#round;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#round?.catch(() => {});
  }

  async #rounds(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#read();
    } while (this.#isAskedAgain);
  }

  async #read(): Promise<void> {
    const revisions = await this.#options.store.revisions();
    const gone = [...this.#known.keys()].filter((slug) => !revisions.has(slug));
    for (const slug of gone) this.#known.delete(slug);
    let changes = gone.length;
    for (const [slug, revision] of revisions) {
      if (this.#known.get(slug)?.revision === revision) continue;
      changes++;
      this.#known.set(slug, { revision, offered: await this.#load(slug) });
    }
    if (changes === 0) return;
    const loaded = Array.from(this.#known.values(), ({ offered }) => offered).filter((one) => one !== undefined);
    this.#sorted = loaded.toSorted((a, b) => (a.target.slug < b.target.slug ? -1 : 1));
    for (const listener of this.#listeners) listener();
  }

  /** A gateway whose credential cannot be opened is not served; the others are. */
  async #load(slug: string): Promise<OfferedGateway | undefined> {
    try {
      const found = await this.#options.store.getTarget(slug);
      if (found === undefined) return undefined;
      const { gateway, credential } = found;
      const models = offeredModels(gateway);
      return { target: this.#toTarget(gateway, credential, models), name: gateway.name, models };
    } catch (error) {
      if (codeOf(error) !== 'gateway_credential_unreadable') throw error;
      this.#logFailure(error);
      return undefined;
    }
  }

  #toTarget(gateway: ConnectedGateway, credential: string, models: readonly ListedModel[]): GatewayTarget {
    return {
      slug: gateway.slug,
      provider: toProvider(gateway.slug),
      baseUrl: gateway.baseUrl,
      credential: credential === '' ? NO_CREDENTIAL : credential,
      metering: gateway.metering,
      mayConnect: toMayConnect(this.#options.rules),
      revision: `${gateway.slug}/${gateway.targetRevision}`,
      models: new Set(models.map(({ id }) => id)),
      staleSinceMs: gateway.sync.staleSinceMs,
    };
  }

  #logFailure(error: unknown): void {
    const { code, message } = toErrorData(error);
    this.#options.log({ event: 'gateway directory', code, message });
  }
}
