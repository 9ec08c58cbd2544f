import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { AppError, hasErrorCode, throwFileError } from '../../../base/index.js';
import type { Terminal } from '../../../cli/index.js';
import { convertCheckpoint, type ConvertSummary } from '../../../convert/index.js';
import type { Store } from '../../../store/index.js';
import { readPartName, type QuantName } from '../../../weights/index.js';
import type { ImportOutput } from '../outputs/models.js';
import { printNotices } from '../print-notices.js';
import { openProgressLine } from '../progress.js';

/** What is imported, and as what. */
export interface ImportRequest {
  readonly store: Store;
  readonly file: string;
  /** Undefined: the file's own, without what no name may have. */
  readonly name: string | undefined;
  readonly quant: QuantName | undefined;
  readonly mayReplace: boolean;
  readonly signal: AbortSignal;
}

/** Converts into the store, with progress and notices on standard error. Errors: those of conversion and of placing a model. */
export async function importForUser(
  { store, file, name = nameOf(file), quant, mayReplace, signal }: ImportRequest,
  terminal: Terminal,
): Promise<ImportOutput> {
  await checkThere(file);
  let summary: ConvertSummary | undefined;
  const model = await store.place(
    { name, mayReplace },
    async ({ artifact: out }) => {
      using progress = openProgressLine(terminal, basename(file));
      const { onProgress } = progress;
      summary = await convertCheckpoint({
        source: file,
        out,
        quant,
        signal,
        onProgress,
        onNotice: printNotices(terminal),
      });
    },
    {
      signal,
      onWait: (pid) =>
        void terminal.stderr.write(`waiting for process ${pid ?? 'of another machine'}, which puts ${name} in place\n`),
    },
  );
  const { sizeBytes = 0, quant: made = '', notices = [] } = summary ?? {};
  return { name: model.name, path: model.path, quant: made, sizeBytes, notices: notices.map(({ text }) => text) };
}

async function checkThere(file: string): Promise<void> {
  await stat(file).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOENT', 'ENOTDIR')) throwFileError('read', file)(error);
    const message = `there is no ${file}: no file and no directory is at this path`;
    throw new AppError('checkpoint_not_found', message, { path: file });
  });
}

/** `Some Model-Q4_1.gguf` is Some-Model-Q4_1. */
function nameOf(file: string): string {
  const base = basename(resolve(file));
  const stem = readPartName(base)?.stem ?? base.replace(/\.gguf$/i, '');
  return stem
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/([-.])[-.]+/g, '$1')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
}
