/** Copies that stay, each with its reason: the names of both files, without folders; `*` in a folder names all of it. */
export interface NamedDuplicate {
  readonly files: readonly [string, string];
  readonly reason: string;
}

/** Pairs of files that share six or more lines. One that is no longer found fails the test, as a new one does. */
export const namedDuplicates: readonly NamedDuplicate[] = [
  {
    files: ['kernels-as/*', 'kernels-as/*'],
    reason:
      'products begin and end alike, where AssemblyScript inlines no function with a loop and the revectorizer wants ' +
      'straight code; rows and variants of one product are unrolled from one source',
  },
  {
    files: ['src/compute/*', 'src/compute/*'],
    reason:
      'the registry of fused ops and the table of each device list the same names, which their types hold to be complete',
  },
  {
    files: ['runtime-answers.ts', 'scan.ts'],
    reason:
      'the admin page runs in a browser and may import nothing of the gateway; a suite compiles its types against the API',
  },
  {
    files: ['migrations.ts', 'migrations.ts'],
    reason: 'two tables of the same sums with other primary keys; a migration is one text, and made of no values',
  },
  {
    files: ['child.ts', 'supervisor-node.ts'],
    reason: 'read-only properties of two classes that share no state: inheritance would join them for eight lines',
  },
  {
    files: ['ring-consumer.ts', 'ring-producer.ts'],
    reason: 'each end opens the same memory and makes other closures over it',
  },
  {
    files: ['chat-chunk.ts', 'chat-response.ts'],
    reason: 'two documents of one wire, whose fields happen to begin alike; each is read beside its specification',
  },
  {
    files: ['q4.ts', 'q8.ts'],
    reason: 'the reading of a scale inside two loops over different blocks, which must stay fast',
  },
  {
    files: ['drain.test.ts', 'drain.test.ts'],
    reason: 'a test reads from top to bottom, with its own server',
  },
  {
    files: ['progress.test.ts', 'progress.test.ts'],
    reason: 'a test reads from top to bottom: two terminals, the same times',
  },
  {
    files: ['arguments.test.ts', 'close-and-count.test.ts'],
    reason: 'each suite opens and closes an engine of its own',
  },
  {
    files: ['codes.ts', 'codes.ts'],
    reason: 'each product lists the codes of the modules that it loads',
  },
  {
    files: ['check.ts', 'check.ts'],
    reason: 'the help of two commands of two products, which say the same of two files',
  },
  {
    files: ['gateway-shared-state.ts', 'node-shared-state.ts'],
    reason: 'what two products are started with begins alike; they have no setup in common',
  },
  {
    files: ['gateway-config.ts', 'hosted-config.ts'],
    reason: 'two files that have some limits by the same names',
  },
  {
    files: ['create.ts', 'create.ts'],
    reason: 'options of two commands of two products; each is declared where its help is read',
  },
  {
    files: ['account-api.ts', 'operator-api.ts'],
    reason: 'two pages import nothing of one another, and each writes out the answers that it reads',
  },
  {
    files: ['app.tsx', 'key-page.tsx'],
    reason: 'two ways to sign in, one with a session that may be interrupted',
  },
  {
    files: ['architecture-rules.ts', 'architecture-rules.ts'],
    reason: 'two rows of one table of data',
  },
  {
    files: ['start-hosted.ts', 'index.ts'],
    reason: 'a price of a suite and one of a bench, written out where they are read',
  },
  {
    files: ['audit-verify.ts', 'verify.ts'],
    reason: 'the declaration of a command that both products have, each with its own way to its server',
  },
  {
    files: ['operator-api.ts', 'render-health.ts'],
    reason: 'the operator page runs in a browser and may import nothing of the programs',
  },
  {
    files: ['audit-entry.ts', 'audit-trail.test.ts'],
    reason: 'what a suite reads of an answer, written out beside the module of pages that has the same fields',
  },
  {
    files: ['requests-view.tsx', 'requests-section.tsx'],
    reason: 'the same attributes of a table, of two lists with columns of their own',
  },
  {
    files: ['accounts-section.tsx', 'requests-section.tsx'],
    reason: 'the same attributes of a table, of two lists with columns of their own',
  },
  {
    files: ['key-dialogs.tsx', 'rotate-key.tsx'],
    reason: 'the buttons of a window; keys of the gateway have graces by its file',
  },
  {
    files: ['create.ts', 'set.ts'],
    reason: 'options of two commands: Clipanion reads them as fields of each class, and defaults and words differ',
  },
  {
    files: ['test.ts', 'test.ts'],
    reason: 'options of one command of two products: Clipanion reads them as fields of each class',
  },
];
