import { codeTables as hostedApi } from '../../src/bin/hosted-api/codes.js';
import { codeTables as nativeEngine } from '../../src/bin/native-engine/codes.js';
import { codeTables as privateGateway } from '../../src/bin/private-gateway/codes.js';
import { codeTables as signArtifact } from '../../src/bin/sign-artifact/codes.js';
import type { CodeTables } from '../../src/cli/index.js';
import { clientCodes } from '../../src/client/errors.js';

/** The tables of each product, by the name of its folder in src/bin. */
export const tablesByProduct: Readonly<Record<string, CodeTables>> = {
  'native-engine': nativeEngine,
  'private-gateway': privateGateway,
  'hosted-api': hostedApi,
  'sign-artifact': signArtifact,
};

/** The error codes of all modules that any product or entry has; those of the command line last. */
export const codeTables: CodeTables = withCliLast({
  ...nativeEngine,
  ...privateGateway,
  ...hostedApi,
  ...signArtifact,
  client: clientCodes,
});

function withCliLast({ cli, ...modules }: CodeTables & { readonly cli: CodeTables[string] }): CodeTables {
  return { ...modules, cli };
}
