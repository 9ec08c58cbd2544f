import { AppError } from '../../../base/index.js';
import { OllamaLoaded } from '../../../api/index.js';
import { Compile } from '../../../schema/index.js';
import { countText, fitTable, sizeText, spanText } from '../../../cli/index.js';
import type { PsOutput } from '../outputs/server.js';
import type { ServerClient } from './server-client.js';

const isLoadedList = Compile(OllamaLoaded);
/** Past this an expiry means never: no model stays for a hundred years. */
const NEVER_MS = 3_155_695_200_000;

/** The loaded models of a server, the one that stays longest first. Errors: those of the client; `server_refused`. */
export async function listLoaded(client: ServerClient, nowMs: number): Promise<PsOutput> {
  const answer = await client.get('/api/ps');
  if (!isLoadedList.Check(answer)) {
    throw new AppError('server_refused', `${client.url} does not answer GET /api/ps as an engine does`, {
      url: client.url,
    });
  }
  return answer.models.map((model) => {
    const { name, size, details, context_length: contextLength, expires_at: expires, signers = null } = model;
    const expiresMs = Date.parse(expires);
    const isKnown = Number.isFinite(expiresMs) && expiresMs - nowMs < NEVER_MS;
    return {
      name: name.replace(/:latest$/, ''),
      quant: details.quantization_level,
      sizeBytes: size,
      contextLength,
      expiresAt: isKnown ? new Date(expiresMs).toISOString() : null,
      signers,
    };
  });
}

/** The same as a table. */
export function renderLoaded(loaded: PsOutput, nowMs: number, width: number | undefined): string {
  if (loaded.length === 0) return 'No model is loaded.\n';
  const rows = loaded.map(({ name, quant, sizeBytes, contextLength, expiresAt }) => [
    name,
    sizeText(sizeBytes),
    quant,
    countText(contextLength),
    untilText(expiresAt, nowMs),
  ]);
  const header = ['NAME', 'MEMORY', 'QUANT', 'CONTEXT', 'UNLOADS'];
  return fitTable(header, rows, { width, rightAligned: [1, 3], droppable: [2, 3] });
}

/** When an unused model is unloaded. */
export function untilText(expiresAt: string | null, nowMs: number): string {
  if (expiresAt === null) return 'when memory is needed';
  const leftMs = Date.parse(expiresAt) - nowMs;
  return leftMs <= 0 ? 'now' : `in ${spanText(leftMs) ?? 'less than a minute'}`;
}
