// Suites run on compiled output: `new Worker()` cannot load .ts on Node 20.
export default {
  test: {
    include: ['dist/test/**/*.test.js'],
    exclude: ['dist/test/long/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
};
