// Suites that take longer than a person waits: `npm run test:long`.
export default {
  test: {
    include: [
      'dist/test/long/**/*.test.js',
      // These take whole sets of cases here, where `../shared` has them (test/support/whole-sets.ts).
      'dist/test/{model/{oracle,gguf-oracle},completion/{demo-model,control-tokens},chat/template-oracle}.test.js',
    ],
    env: { TEST_WHOLE_SETS: '1' },
    testTimeout: 900_000,
    hookTimeout: 900_000,
    pool: 'forks',
    maxWorkers: 1,
    server: { deps: { external: [/\/dist\/(src|bench)\//] } },
  },
};
