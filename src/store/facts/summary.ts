import { readManifest, type Manifest } from '../../artifact/index.js';
import type { StoredModel } from '../models-directory.js';
import { toOrigin, type Origin } from '../origin.js';
import { readGgufFacts } from './gguf-facts.js';

/** A model in a list. */
export interface ModelSummary {
  /** The hub's name of its quant, else the storage type of the weights in this engine or the file. */
  readonly quant: string;
  readonly sizeBytes: number;
  /** As the model declares it; undefined where it does not. */
  readonly contextLength: number | undefined;
  readonly origin: Origin | undefined;
}

/** Reads the head of a model: a manifest, or the header of a file. Errors: those of opening it. */
export async function summarize({ path, isFile }: StoredModel): Promise<ModelSummary> {
  if (isFile) {
    const { quantization: quant, sizeBytes, contextLength } = await readGgufFacts(path, false);
    return { quant, sizeBytes, contextLength, origin: undefined };
  }
  const manifest = await readManifest(path);
  const origin = toOrigin(manifest.source);
  const sizeBytes = manifest.files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return { quant: origin.quant ?? manifest.quant, sizeBytes, contextLength: contextOf(manifest), origin };
}

/** Models that also see have the config of their text below a key. */
function contextOf({ config }: Manifest): number | undefined {
  const inner = config['text_config'];
  const text = typeof inner === 'object' && inner !== null ? Object(inner) : config;
  const length: unknown = text['max_position_embeddings'];
  return typeof length === 'number' ? length : undefined;
}
