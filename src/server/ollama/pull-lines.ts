import { setImmediate } from 'node:timers/promises';
import type { OllamaPullLine } from '../../api/index.js';
import type { ModelLibrary } from '../../models/index.js';

type PullEvent = Parameters<NonNullable<Parameters<ModelLibrary['pull']>[1]>>[0];

/** Lines that wait for a slow reader; of progress only the newest counts. */
const MAX_LINES = 64;
/** Bytes of progress between two lines of one file: a hundred lines, and one each MiB of small ones. */
const STEP_SHARE = 0.01;
const STEP_BYTES = 1 << 20;

/**
 * The progress of a pull in Ollama's form: the manifest, each file by its digest, then the conversion. The pull goes on
 * when the consumer leaves the iteration. Errors: those of `ModelLibrary.pull`.
 */
export async function* pullLines(library: ModelLibrary, id: string): AsyncGenerator<OllamaPullLine, void> {
  const lines: OllamaPullLine[] = [{ status: 'pulling manifest' }];
  let wake = (): void => {};
  const tell = createTeller((line) => {
    if (lines.length < MAX_LINES) lines.push(line);
    else lines[MAX_LINES - 1] = line;
    wake();
  });
  let isOver = false;
  const pull = library.pull(id, tell).finally(() => {
    isOver = true;
    wake();
  });
  pull.catch(() => {});
  // A refusal of the name alone has its own status: no line was sent yet.
  await Promise.race([pull, setImmediate()]);
  for (;;) {
    const line = lines.shift();
    if (line !== undefined) yield line;
    else if (isOver) break;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
  const { outcome } = await pull;
  if (outcome !== 'current') yield { status: 'writing manifest' };
  yield { status: 'success' };
}

function createTeller(push: (line: OllamaPullLine) => void): (event: PullEvent) => void {
  let file = '';
  let told = 0;
  let isVerifying = false;
  return (event) => {
    if (event.kind === 'note') push({ status: event.text });
    if (event.kind === 'retry') push({ status: `trying again: ${event.reason}` });
    if (event.kind === 'wait') push({ status: 'waiting for another process that pulls the model' });
    if (event.kind === 'convert' && !event.isBeside) {
      if (!isVerifying) push({ status: 'verifying sha256 digest' });
      isVerifying = true;
    }
    if (event.kind !== 'download') return;
    const { digest, fileBytes, fileDoneBytes } = event;
    const step = Math.max(STEP_BYTES, fileBytes * STEP_SHARE);
    const isNew = digest !== file;
    if (!isNew && fileDoneBytes < fileBytes && fileDoneBytes < told + step) return;
    if (!isNew && told === fileBytes) return;
    file = digest;
    told = fileDoneBytes;
    const [kind, hex = ''] = digest.split(':');
    const progress = { total: fileBytes, completed: fileDoneBytes };
    // Ollama's clients know only SHA-256. A small file with a git hash appears under its name.
    if (kind === 'sha256') push({ status: `pulling ${hex.slice(0, 12)}`, digest, ...progress });
    else push({ status: `pulling ${event.file}`, ...progress });
  };
}
