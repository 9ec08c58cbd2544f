// Suites run on compiled output: `new Worker()` cannot load .ts on Node 20.
const common = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // What is tested is loaded by Node itself, as its users load it, and not through vitest's transforms: half the time.
  server: { deps: { external: [/\/dist\/(src|bench)\//] } },
};

/** Suites that measure how long something takes: they run after the others, one at a time. */
const timed = [
  'dist/test/api/parse-body.test.js',
  'dist/test/embedding/blocked-caller.test.js',
  'dist/test/faults/conversations.test.js',
  'dist/test/server/overload.test.js',
];

export default {
  test: {
    projects: [
      {
        test: {
          ...common,
          name: 'suites',
          include: ['dist/test/**/*.test.js'],
          exclude: ['dist/test/long/**', ...timed],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...common, name: 'timed', include: timed, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
};
