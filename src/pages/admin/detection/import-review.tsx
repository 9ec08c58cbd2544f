import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiAnswer, ApiFailure } from '../../data/index.js';
import { Note, useKit } from '../../kit/index.js';
import type { AdminApi } from '../api/admin-api.js';
import type { Imported } from '../api/runtime-answers.js';
import { Review } from '../configuration/review.js';

/** The most tries for a preview while others write the file. */
const MAX_TRIES = 3;

/** Requests a preview of an import into the current file. Writes nothing. */
export async function previewImport(
  api: AdminApi,
  scanId: string,
  urls: readonly string[],
): Promise<ApiAnswer<Imported>> {
  for (let tries = 1; ; tries++) {
    const config = await api.config();
    if (!config.ok) return config;
    const answer = await api.importFindings(scanId, urls, config.value.etag, true);
    if (answer.ok || answer.failure.status !== 412 || tries === MAX_TRIES) return answer;
  }
}

/** Shows the effect of an import on the file, and writes it. If the file changed meanwhile, shows the new effect. */
export function ImportReview(props: {
  readonly api: AdminApi;
  readonly scanId: string;
  readonly urls: readonly string[];
  readonly preview: Imported;
  readonly onImported: (imported: Imported) => void;
  readonly onClose: () => void;
}): VNode {
  const { api, scanId, urls, onImported, onClose } = props;
  const { formats } = useKit();
  const [preview, setPreview] = useState(props.preview);
  const [isMeanwhile, setMeanwhile] = useState(false);
  const write = async (): Promise<ApiFailure | undefined> => {
    const answer = await api.importFindings(scanId, urls, preview.config_etag, false);
    if (answer.ok) {
      onImported(answer.value);
      return undefined;
    }
    if (answer.failure.status !== 412) return answer.failure;
    const again = await previewImport(api, scanId, urls);
    if (!again.ok) return again.failure;
    setPreview(again.value);
    setMeanwhile(true);
    return undefined;
  };
  const { runtimes, models, left_out: numLeftOut, diff } = preview;
  return (
    <Review title="Import into gateway.yaml?" diff={diff} action="Import" onSave={write} onClose={onClose}>
      {isMeanwhile && (
        <Note tone="warn">
          gateway.yaml has changed since, and nothing was imported yet. These are the lines for the present file.
        </Note>
      )}
      <p>
        {formats.counted(runtimes.length, 'runtime')} ({runtimes.join(', ')}) with{' '}
        {formats.counted(models.length, 'new model')}.
        {numLeftOut > 0 && ` No space in the file for ${formats.counted(numLeftOut, 'entry', 'entries')}.`}
      </p>
    </Review>
  );
}
