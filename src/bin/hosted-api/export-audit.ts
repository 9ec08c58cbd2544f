import type { Terminal } from '../../cli/index.js';
import { auditFile, type AuditFileAsked } from '../../hosted/index.js';
import { operateOnParts } from './operate.js';

type Entries = Awaited<ReturnType<Parameters<typeof auditFile>[0]>>;

/** Prints a copy of the audit log, which is read in parts. Errors: those of the operator. */
export async function exportAudit(
  flags: { readonly config: string },
  terminal: Terminal,
  asked: AuditFileAsked,
): Promise<void> {
  await operateOnParts(flags, terminal, async function* parts(operator) {
    await operator.run('audit.export', asked);
    const read = async (after: number): Promise<Entries> =>
      ((await operator.run('audit.read', { after })) as { readonly entries: Entries }).entries;
    yield* auditFile(read, asked);
  });
}
