import { print, type Terminal } from '../../cli/index.js';
import { migrateService, parseHostedConfig, readHostedText } from '../../hosted/index.js';
import { toServiceOptions } from './service-options.js';

/** Migrates the database of a file, and says how far it was. Errors: those of the file and of the database. */
export async function migrate(path: string, isJson: boolean, terminal: Terminal): Promise<void> {
  const { text } = await readHostedText(path);
  const steps = await migrateService(parseHostedConfig(text, path).config, toServiceOptions(terminal));
  const said =
    steps === 0
      ? 'The tables were at the newest version.'
      : `The tables are at the newest version: ${steps} steps ran.`;
  await print(terminal.stdout, isJson ? `${JSON.stringify({ steps })}\n` : `${said}\n`, terminal.closed);
}
