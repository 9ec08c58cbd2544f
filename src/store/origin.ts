import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '../artifact/index.js';
import { directoryNameOf, isRepoId } from './model-names.js';

/** The file that makes a directory an artifact. */
export const MANIFEST = 'manifest.json';
/** Bytes of a manifest that are read for its source: manifests of artifacts are smaller. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The origin of a model of the store, from the `source` of its manifest. */
export interface Origin {
  /** `org/name` of a hub; undefined for a model of this machine. */
  readonly repo: string | undefined;
  /** The commit of the repository. */
  readonly revision: string | undefined;
  /** The branch, tag or commit that was asked for. */
  readonly ref: string | undefined;
  /** The quant of the repository's file, from its name: `Q4_K_M`. */
  readonly quant: string | undefined;
  /** Whether that quant was asked for: then it is part of the directory's name. */
  readonly isAskedQuant: boolean;
  /** As the repository or the file states it. */
  readonly license: string | undefined;
  /** Types of the file that are stored as others, in one line. */
  readonly requantised: string | undefined;
  /** `gguf` or `safetensors`. */
  readonly format: string | undefined;
}

/** An origin as the manifest keeps it. */
export function toSource(origin: Partial<Origin>): Manifest['source'] {
  const { repo, revision, ref, quant, isAskedQuant, license } = origin;
  const facts = { repo, revision, ref, quant, isAskedQuant, license };
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, string | boolean] => entry[1] !== undefined),
  );
}

/** The origin in a manifest. */
export function toOrigin(source: Readonly<Record<string, unknown>>): Origin {
  const textOf = (key: string): string | undefined => {
    const value = source[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const repo = textOf('repo');
  return {
    repo: repo !== undefined && isRepoId(repo) ? repo : undefined,
    revision: textOf('revision'),
    ref: textOf('ref'),
    quant: textOf('quant'),
    isAskedQuant: source['isAskedQuant'] === true,
    license: textOf('license'),
    requantised: textOf('requantised'),
    format: textOf('format'),
  };
}

/**
 * The origin of the artifact in `directory`, in any version of the format: an unreadable model can still be replaced,
 * or named in a refusal. Undefined without a manifest, or without an origin in it.
 */
export async function readOrigin(directory: string): Promise<Origin | undefined> {
  try {
    const path = join(directory, MANIFEST);
    const found = await stat(path);
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof manifest !== 'object' || manifest === null || !('source' in manifest)) return undefined;
    const { source } = manifest;
    return typeof source === 'object' && source !== null ? toOrigin({ ...source }) : undefined;
  } catch {
    return undefined;
  }
}

/** The clients' name of the model in the directory `name`: `org/name`, `org/name:QUANT`; a copy has its own name. */
export function publicId(name: string, origin: Origin | undefined): string {
  if (origin?.repo === undefined) return name;
  const quant = origin.isAskedQuant ? origin.quant?.toUpperCase() : undefined;
  try {
    if (directoryNameOf(origin.repo, quant) !== name) return name;
  } catch {
    return name;
  }
  return quant === undefined ? origin.repo : `${origin.repo}:${quant}`;
}
