// Suites that take longer than a person waits: `npm run test:long`.
export default {
  test: {
    include: ['dist/test/long/**/*.test.js'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    pool: 'forks',
    maxWorkers: 1,
    server: { deps: { external: [/\/dist\/(src|bench)\//] } },
  },
};
