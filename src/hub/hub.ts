import { holdingClock, type Clock } from '../base/index.js';
import { createHubApi, refuseOffline, type AskOptions, type HubApi, type HubFile } from './api/hub-api.js';
import { startDownload, type Download, type DownloadEvents } from './download/download-file.js';
import { readSmallFile } from './download/read-small-file.js';
import { createTransport } from './http/transport.js';
import type { HubSettings } from './settings.js';

/** A file of a commit, and where it shall be. */
export interface FetchRequest extends DownloadEvents {
  readonly repo: string;
  readonly commit: string;
  readonly file: HubFile;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** A hub of models: its metadata, and its files onto the disk. Disposing of it closes all connections. */
export interface Hub extends HubApi, AsyncDisposable {
  readonly endpoint: string;
  readonly isOffline: boolean;
  /** Starts or resumes a download at `path`. Errors: `hub_offline`, those of `startDownload`. */
  fetchFile(request: FetchRequest): Promise<Download>;
  /** The bytes of a small file. Errors: `hub_offline`, those of `readSmallFile`. */
  readFile(repo: string, commit: string, file: HubFile, options?: AskOptions): Promise<Buffer>;
}

/** Times of a hub that tests shorten. */
export interface HubTimes {
  readonly clock?: Clock;
  /** How long an answer may be silent. */
  readonly idleMs?: number;
}

/** The hub of `settings`. It connects when it is asked something. */
export function openHub(settings: HubSettings, { clock = holdingClock, idleMs }: HubTimes = {}): Hub {
  const transport = createTransport(settings, clock, idleMs);
  return {
    ...createHubApi(settings, transport, clock),
    endpoint: settings.endpoint,
    isOffline: settings.isOffline,
    async fetchFile(request) {
      refuseOffline(settings, { repo: request.repo });
      return startDownload({ ...request, settings, transport, clock });
    },
    async readFile(repo, commit, file, options) {
      refuseOffline(settings, { repo });
      return readSmallFile({ repo, commit, file, settings, transport }, clock, options);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
