import { Command } from 'clipanion';
import { textOption, type CliContext } from '../../cli/index.js';
import { debugFlag, jsonFlag, keyFlag } from './flags.js';
import { allowRollbackFlag, trustDirFlag } from './trust-options.js';

/** A command that verifies an artifact with the keys that it is given. */
export abstract class VerifyingCommand extends Command<CliContext> {
  key = keyFlag();
  allowRollback = allowRollbackFlag();
  trustDir = trustDirFlag();
  json = jsonFlag();
  debug = debugFlag();
}

/** What `verify` of both command lines says of itself. */
export const verifyUsage = {
  details: 'One of several trusted keys is enough. A refused model gives the exit status 3.',
  examples: [
    ['With the line in the .pub file of a signer that you trust', '$0 verify ./model --key "$(cat me.pub)"'],
    ['A signature in a file of its own', '$0 verify ./model --key "$(cat me.pub)" --bundle model.sigstore.json'],
  ],
} satisfies { details: string; examples: [string, string][] };

/** `--bundle` of `verify`. */
export const readBundleFlag = () =>
  textOption('--bundle', {
    value: 'FILE',
    description: 'read the signature from a Sigstore bundle, or a DSSE envelope',
    default: 'signature.json of the artifact',
    group: 'Signatures',
  });
