import { stat } from 'node:fs/promises';
import { openArtifact, type ModelSource } from '../artifact/index.js';
import { openInMemory } from './open-in-memory.js';

/** The artifact in the directory `place`, or the GGUF file there, which is packed at each load. Errors: those of both. */
export async function openSource(place: string): Promise<ModelSource> {
  const found = await stat(place).catch(() => undefined);
  return found?.isFile() === true ? openInMemory(place) : openArtifact(place);
}
