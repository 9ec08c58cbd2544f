// Configuration files in YAML. Parses a document within limits, and its fields by a schema with the line of each
// mistake. Locks the file on the disk, and follows its changes. Knows no product's fields.
export { toAuthority } from './authority.js';
export { createConfigFile, readConfigText, refuseConfigFile, updateConfigFile } from './file/config-file.js';
export type { ConfigText, UpdatedFile, UpdateOptions } from './file/config-file.js';
export {
  watchConfigFile,
  type FileInUse,
  type FileOutcome,
  type FileWatcher,
  type FileWatcherOptions,
  type ParsedFile,
} from './file/config-watcher.js';
export type { FileKind } from './file/file-kind.js';
export { MAX_ALIASES, MAX_YAML_BYTES } from './limits.js';
export { createTextCheck, type CheckedText } from './parse/check-text.js';
export { quoteName } from './parse/hints.js';
export type { Partly, Report } from './parse/partly.js';
export { formatProblem, toConfigError, type TextPosition, type Problem } from './parse/problems.js';
export { readDocumentFields } from './parse/read-fields.js';
export { createSuggester, refuseRepeated, refuseRepeatedTexts } from './parse/repeated.js';
export {
  checkAmount,
  checkOrigin,
  checkLoopback,
  checkPath,
  checkPrice,
  checkTimestamp,
  createBaseUrlCheck,
  createListenCheck,
  parseListen,
  type ListenAddress,
  type TextChecks,
} from './parse/text-checks.js';
export { readYaml, walkTokens, type YamlText } from './parse/yaml-document.js';
export type { FieldSchema, Unit } from './schema/field-schema.js';
export { annotate, strict } from './schema/annotate.js';
export { pageAddress } from './schema/page-address.js';
export { secretReference, toSecretSource, type SecretSource } from './schema/secret-reference.js';
export { toWords } from './schema/words.js';
