import { AppError, type CodeTable } from '../base/index.js';

/** Codes of the module `artifact`. */
export const artifactCodes = {
  artifact_not_found: { who: 'caller', kind: 'failed_precondition', when: 'there is no artifact at the given path' },
  artifact_invalid: {
    who: 'caller',
    kind: 'data_loss',
    when: 'a manifest breaks its schema, or its tensor table makes no sense',
  },
  artifact_corrupt: {
    who: 'caller',
    kind: 'data_loss',
    when: 'a file of an artifact is missing, added, truncated or altered',
  },
  artifact_version: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'an artifact was made by a converter of another format or packing version',
  },
  output_exists: { who: 'caller', kind: 'failed_precondition', when: 'the path to write an artifact to is taken' },
} as const satisfies CodeTable;

/** The error for an artifact with an invalid manifest. */
export function manifestInvalid(directory: string, why: string): AppError {
  return new AppError('artifact_invalid', `the artifact ${directory} is not valid: ${why}`, { directory });
}

/** The error for an artifact whose files differ from its manifest. */
export function corrupt(directory: string, file: string, why: string): AppError {
  const message = `the artifact ${directory} is damaged: ${file} ${why}; convert or fetch it again`;
  return new AppError('artifact_corrupt', message, { directory, file });
}
