import { ServerHealth, ServerVersion } from '../../../api/index.js';
import { codeOf } from '../../../base/index.js';
import { spanText } from '../../../cli/index.js';
import { Compile } from '../../../schema/index.js';
import { renderFacts } from '../models/describe-shown.js';
import type { StatusOutput } from '../outputs/server.js';
import { listLoaded, renderLoaded } from './loaded-models.js';
import { renderTree } from './render-tree.js';
import type { ServerClient } from './server-client.js';

const isVersion = Compile(ServerVersion);
const isHealth = Compile(ServerHealth);

/** Asks a server all that it tells of itself. Errors: those of the client. */
export async function readStatus(client: ServerClient, nowMs: number): Promise<StatusOutput> {
  const version = await client.get('/api/version');
  const health = await known(client.get('/health'));
  const ready = await known(client.get('/ready'));
  const models = await known(client.get('/v1/models'));
  const data: unknown = Object(models)['data'];
  const who = isVersion.Check(version) ? version : undefined;
  const how = isHealth.Check(health) ? health : undefined;
  return {
    url: client.url,
    engine: who?.engine ?? null,
    build: who?.build ?? null,
    uptimeMs: how === undefined ? null : Math.round(how.uptime_ms),
    ready: ready !== undefined,
    kernel: how?.kernel.variant ?? null,
    kernelNotes: how?.kernel.notes ?? [],
    numModels: Array.isArray(data) ? data.length : 0,
    loaded: await listLoaded(client, nowMs),
    tree: how?.tree ?? null,
  };
}

/** An answer, or undefined where the server refuses it: another server has fewer paths, and one that loads is not ready. */
async function known(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (codeOf(error) !== 'server_refused') throw error;
    return undefined;
  }
}

/** The same for a person. */
export function renderStatus(found: StatusOutput, nowMs: number, width: number | undefined): string {
  const { url, engine, build, uptimeMs, ready, kernel, kernelNotes, numModels, loaded, tree } = found;
  const facts = renderFacts(
    [
      ['server', `${url}${ready ? '' : ', not ready'}`],
      ['engine', engine === null ? 'another, with the same API' : `${engine} ${build}`],
      ['up', uptimeMs === null ? null : (spanText(uptimeMs) ?? 'less than a minute')],
      ['kernel', kernel],
      ...kernelNotes.map((text) => ['note', text] as const),
      ['models', `${numModels} to choose from, ${loaded.length} in memory`],
    ],
    width,
  );
  const parts = [facts, loaded.length === 0 ? '' : `\n${renderLoaded(loaded, nowMs, width)}`];
  return [...parts, tree === null ? '' : `\nLive tree\n${renderTree(tree)}`].join('');
}
