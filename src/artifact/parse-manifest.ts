import { AppError, parseStrictJson } from '../base/index.js';
import { Compile } from '../schema/index.js';
import { packedMatrixBytes, packedVectorBytes } from '../weights/index.js';
import { manifestInvalid } from './errors.js';
import {
  CHUNK_BYTES,
  DEFAULT_LAYOUT,
  FORMAT_VERSION,
  Manifest,
  MANIFEST_NAME,
  MAX_MANIFEST_DEPTH,
  PACKING_VERSION,
  SIGNATURE_NAME,
  TENSOR_ALIGNMENT,
  WEIGHTS_NAME,
  type TensorEntry,
} from './manifest.js';

const validator = Compile(Manifest);

/**
 * Parses a manifest from untrusted bytes. Checks its schema, and that files and tensors have unique names, lie in their
 * file and do not overlap. Errors name `directory`: `artifact_version`, `artifact_invalid`.
 */
export function parseManifest(bytes: Uint8Array, directory: string): Manifest {
  const json = parseStrictJson(bytes, { maxDepth: MAX_MANIFEST_DEPTH }, (why) =>
    manifestInvalid(directory, `${MANIFEST_NAME} ${why}`),
  );
  checkVersion(json, directory);
  if (!validator.Check(json)) {
    const [first] = validator.Errors(json);
    const where = first === undefined || first.instancePath === '' ? 'the whole' : first.instancePath.slice(0, 200);
    throw manifestInvalid(directory, `in ${MANIFEST_NAME}, ${where} ${first?.message ?? 'does not match the schema'}`);
  }
  checkFiles(json, directory);
  checkTensors(json, directory);
  return json;
}

/** Runs before the schema, which would refuse fields that another version renamed. */
function checkVersion(json: unknown, directory: string): void {
  if (typeof json !== 'object' || json === null || !('format' in json) || json.format !== 'troupe-artifact') {
    throw manifestInvalid(directory, `${MANIFEST_NAME} is not the manifest of an artifact`);
  }
  const formatVersion = 'formatVersion' in json ? json.formatVersion : undefined;
  const packingVersion = 'packingVersion' in json ? json.packingVersion : undefined;
  if (formatVersion === FORMAT_VERSION && packingVersion === PACKING_VERSION) return;
  const found = `format ${show(formatVersion)}, packing ${show(packingVersion)}`;
  throw new AppError(
    'artifact_version',
    `the artifact ${directory} has ${found}; this version reads format ${FORMAT_VERSION}, packing ${PACKING_VERSION}: convert again`,
    { directory },
  );
}

function show(version: unknown): string {
  return typeof version === 'number' ? String(version) : 'unknown';
}

function checkFiles(manifest: Manifest, directory: string): void {
  let before = '';
  for (const { path, sha256 } of manifest.files) {
    if (path === MANIFEST_NAME) throw manifestInvalid(directory, `${MANIFEST_NAME} lists itself`);
    if (path === SIGNATURE_NAME)
      throw manifestInvalid(directory, `${MANIFEST_NAME} lists ${SIGNATURE_NAME}, which signs it`);
    if (path <= before) throw manifestInvalid(directory, `file ${path} is listed twice or out of order`);
    const isHashed = sha256 !== undefined;
    if (isHashed === (path === WEIGHTS_NAME)) {
      throw manifestInvalid(
        directory,
        `file ${path} ${isHashed ? 'has its hashes in its chunks, and one more' : 'has no SHA-256'}`,
      );
    }
    before = path;
  }
  const weights = manifest.files.find(({ path }) => path === WEIGHTS_NAME);
  if (weights === undefined) throw manifestInvalid(directory, `${MANIFEST_NAME} does not list ${WEIGHTS_NAME}`);
  const chunks = Math.ceil(weights.sizeBytes / CHUNK_BYTES);
  const listed = manifest.weights.chunkSha256.length;
  if (listed !== chunks) throw manifestInvalid(directory, `${WEIGHTS_NAME} has ${chunks} chunks, but ${listed} hashes`);
  const end = manifest.tensors.reduce((last, { offset, sizeBytes }) => Math.max(last, offset + sizeBytes), 0);
  if (end !== weights.sizeBytes) {
    throw manifestInvalid(directory, `tensors end at ${end}, but ${WEIGHTS_NAME} at ${weights.sizeBytes}`);
  }
}

function checkTensors(manifest: Manifest, directory: string): void {
  const names = new Set<string>();
  let position = 0;
  for (const tensor of manifest.tensors.toSorted((a, b) => a.offset - b.offset)) {
    const { name, offset, sizeBytes } = tensor;
    const bad = (why: string): AppError => manifestInvalid(directory, `tensor ${JSON.stringify(name)} ${why}`);
    if (names.has(name)) throw bad('is listed twice');
    names.add(name);
    if (tensor.kind === 'vector' && (tensor.quant !== 'f32' || tensor.columns !== 1)) {
      throw bad('is a vector, but not of f32 in one column');
    }
    // Bytes in other layouts are checked by those that know these.
    const needed = (manifest.layout ?? DEFAULT_LAYOUT) === DEFAULT_LAYOUT ? tensorBytesOf(tensor) : sizeBytes;
    if (sizeBytes !== needed) throw bad(`has ${sizeBytes} bytes; its shape needs ${needed}`);
    if (offset % TENSOR_ALIGNMENT !== 0) throw bad(`starts at ${offset}, not at a multiple of ${TENSOR_ALIGNMENT}`);
    if (offset < position) throw bad(`starts at ${offset}, inside the one before it, which ends at ${position}`);
    position = offset + sizeBytes;
  }
}

/** Bytes of a tensor of this shape. Beyond 2^53 inexact, but then beyond every size a manifest may state. */
function tensorBytesOf(tensor: Pick<TensorEntry, 'kind' | 'quant' | 'rows' | 'columns'>): number {
  if (tensor.kind === 'vector') return packedVectorBytes(tensor.rows);
  return packedMatrixBytes(tensor.quant, tensor.rows, tensor.columns);
}
